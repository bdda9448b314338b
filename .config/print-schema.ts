/** Writes schema.graphql from the code, a part of `npm run codegen`. */
import { writeFileSync } from 'node:fs';

import { printedSchema } from './printed-schema.js';

writeFileSync(new URL('../schema.graphql', import.meta.url), await printedSchema());
