import { writeFileSync } from 'node:fs';

import { printedSchema } from './printed-schema.js';

// Writes schema.graphql from the code.
writeFileSync(new URL('../schema.graphql', import.meta.url), await printedSchema());
