import { writeFileSync } from 'node:fs';

import { printedSchema } from './printed-schema.js';
import { printedTables } from './printed-tables.js';

// Writes schema.graphql, and the tables of new SQLite files, from the code.
writeFileSync(new URL('../schema.graphql', import.meta.url), await printedSchema());
writeFileSync(new URL('../src/database/sqlite/schema.sql', import.meta.url), await printedTables());
