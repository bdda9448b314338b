import type { Fixture } from './fixture.js';

const IMPORTS = `
import { z } from 'zod';
import { CompanyRows } from '../../src/database/company/company-rows.js';
import { CompanyTable } from '../../src/database/company/company-table.js';
import { specialSql, type ReadWork, type SystemReadWork, type WriteWork } from '../../src/database/work.js';
import { type Audit, changed, newValues, parse } from '../../src/platform/validate.js';
void [z, CompanyRows, CompanyTable, specialSql, changed, newValues, parse];
export type Used = ReadWork | SystemReadWork | WriteWork;
interface Number extends Audit { readonly id: number; readonly number: string; readonly groupId: number | null }
export type Numbers = Number;
`;

const fixture = (name: string, body: string): Fixture => ({ name, source: `${IMPORTS}${body}` });

const TABLE = `export const table = new CompanyTable<'logical_numbers', Number>('logical_numbers');`;
const tableOf = (record: string): string => `
interface Other extends Audit { readonly id: number; ${record} }
export const other = new CompanyTable<'logical_numbers', Other>('logical_numbers'); // error TS2345: mismatch
`;

const MODEL = `
const Fields = z.object({ name: z.string(), enabled: z.boolean(), notes: z.string().nullable() });
export interface Thing extends z.output<typeof Fields> { readonly id: number }
`;

const WRITES: readonly (readonly [what: string, statement: string, code?: string])[] = [
  ['a delete', `work.db.deleteFrom('groups')`, 'TS2551'],
  ['an insert', `work.db.insertInto('groups')`],
  ['an update', `work.db.updateTable('groups')`],
  ['a transaction', `work.db.transaction()`],
  ['a change of the schema', `work.db.schema`],
  ['a CTE, which could contain a change,', `work.db.with`],
];

export const DATABASE_FIXTURES: readonly Fixture[] = [
  fixture(
    'accepts a query of a unit of work that reads, and a change of one that writes',
    `
export const read = (work: ReadWork) => work.db.selectFrom('groups').selectAll().execute();
export const write = (work: WriteWork) => work.db.deleteFrom('groups').execute();
`,
  ),
  ...WRITES.flatMap(([what, statement, code = 'TS2339']) =>
    (['ReadWork', 'SystemReadWork'] as const).map((work) =>
      fixture(
        `refuses ${what} in a ${work}`,
        `export const write = (work: ${work}) => ${statement}; // error ${code}`,
      ),
    ),
  ),
  fixture(
    'refuses a change by special SQL in a unit of work that reads',
    `export const write = (work: ReadWork) => specialSql(work).db.deleteFrom('groups'); // error TS2551`,
  ),
  fixture('accepts a record with a field for each column', TABLE),
  fixture('refuses a record without a field for a column', tableOf('readonly number: string')),
  fixture(
    'refuses a field without a column',
    tableOf('readonly number: string; readonly groupId: number | null; readonly notes: string'),
  ),
  fixture(
    'refuses a field of another type than its column',
    tableOf('readonly number: string; readonly groupId: string | null'),
  ),
  fixture(
    'refuses a nullable column for a field that is never null',
    tableOf('readonly number: string; readonly groupId: number'),
  ),
  fixture(
    'refuses a change through a table of a company in a unit of work that reads',
    `
${TABLE}
export const remove = (work: ReadWork) => table.deleteById(work, 1); // error TS2740: WriteWork
`,
  ),
  fixture(
    'refuses a table of a company without a company',
    `
const rows = new CompanyRows('app_version_groups');
export const all = (work: SystemReadWork) => rows.select(work, {}); // error TS2379: Property 'caller' is missing
`,
  ),
  fixture(
    'refuses a condition on the company, which is set already',
    `
const rows = new CompanyRows('app_version_groups');
export const all = (work: ReadWork) => rows.select(work, { company_id: 2 }); // error TS2353: 'company_id' does not exist
`,
  ),
  fixture(
    'refuses a table that has no company',
    `export const rows = new CompanyRows('users'); // error TS2345`,
  ),
  fixture(
    'accepts a change of some fields, and values of a new record with their defaults',
    `
${MODEL}
export const update = (thing: Thing, input: unknown): Thing => changed(thing, parse(Fields.partial(), input));
export const create = (input: unknown): Omit<Thing, 'id'> =>
  newValues(Fields.partial({ enabled: true, notes: true }), input, { enabled: true });
`,
  ),
  fixture(
    'refuses an update of a field that the record does not have',
    `
${MODEL}
const Update = Fields.extend({ color: z.string() }).partial();
export const update = (thing: Thing, input: unknown): Thing => changed(thing, parse(Update, input)); // error TS2379: color
`,
  ),
  fixture(
    'refuses a new record without the default of an optional field that is never null',
    `
${MODEL}
export const create = (input: unknown) => newValues(Fields.partial({ enabled: true }), input, {}); // error TS2741: 'enabled'
`,
  ),
];
