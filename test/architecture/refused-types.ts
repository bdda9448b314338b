/** Mistakes that must not compile. `npm run check:lint` fails where one of them does. */
import { z } from 'zod';

import { CompanyRows, specialSql } from '../../src/database/company/company-rows.js';
import { CompanyTable } from '../../src/database/company/company-table.js';
import type { ReadWork, SystemReadWork, WriteWork } from '../../src/database/work.js';
import type { Device } from '../../src/domain/fleet/device/device.model.js';
import { auditedType } from '../../src/domain/people/user/user.graphql.js';
import { flag, nullable, objectType, text } from '../../src/graphql/index.js';
import { invalid } from '../../src/platform/errors.js';
import { rule } from '../../src/platform/rules.js';
import { changed, newValues, parse, type Audit } from '../../src/platform/validate.js';
import { fieldsOf } from '../../src/rest/index.js';
import type { RecordOf } from '../../src/schema/schema.js';

/** Units of work that read: neither changes rows or the schema, nor has CTEs, which could contain a change. */
type Changes = 'deleteFrom' | 'insertInto' | 'updateTable' | 'transaction' | 'schema' | 'with';
type HasNone<Work extends { readonly db: object }> = [Extract<keyof Work['db'], Changes>] extends [never]
  ? true
  : false;
export const haveNone: readonly [HasNone<ReadWork>, HasNone<SystemReadWork>] = [true, true];
export const bySql = (work: ReadWork) => specialSql(work);
export const hasNoneBySql: HasNone<ReturnType<typeof bySql>> = true;
export const hasNone: HasNone<WriteWork> = false;
export const read = (work: ReadWork) => work.db.selectFrom('groups').selectAll().execute();
export const write = (work: WriteWork) => work.db.deleteFrom('groups').execute();

/** Records of a table of a company: a field for each column, of its type or a narrower one. */
const table = new CompanyTable<'logical_numbers', RecordOf<'logical_numbers', Audit>>('logical_numbers');
// @ts-expect-error no column for the field notes
export type More = RecordOf<'logical_numbers', Audit & { readonly notes: string }>;
// @ts-expect-error a field of another type than its column
export type OfText = RecordOf<'logical_numbers', { readonly groupId: string | null }>;
// @ts-expect-error a nullable column for a field that is never null
export type NeverNull = RecordOf<'logical_numbers', { readonly groupId: number }>;
// @ts-expect-error a nullable column of text for a name that is never null
export type Named = RecordOf<'apps', { readonly description: 'short' | 'long' }>;
// @ts-expect-error a change in a unit of work that reads
export const remove = (work: ReadWork) => table.deleteById(work, 1);

const rows = new CompanyRows('app_version_groups');
// @ts-expect-error a table of a company without a company
export const withoutCompany = (work: SystemReadWork) => rows.select(work, {});
// @ts-expect-error a condition on the company, which is set already
export const ofCompany = (work: ReadWork) => rows.select(work, { company_id: 2 });
// @ts-expect-error a table that has no company
export const users = new CompanyRows('users');

/** Rules: messages of the table, with the parameters that they name. */
export const tooGreat = rule('must be at most {maximum}', { maximum: 9 });
// @ts-expect-error a message that is not in the table
export const unknownRule = rule('must be polite');
// @ts-expect-error no parameter of a message that has one
export const withoutMaximum = rule('must be at most {maximum}');
// @ts-expect-error a text for a parameter that is a number
export const maximumAsText = rule('must be at most {maximum}', { maximum: '9' });
// @ts-expect-error a rule about a record as a whole for a field
export const ofRecord = invalid('name', 'The fleet was changed since the plan: plan again.');

/** Input of a record: known fields, and defaults for what is optional and never null. */
const Fields = z.object({ name: z.string(), enabled: z.boolean(), notes: z.string().nullable() });
interface Thing extends z.output<typeof Fields> {
  readonly id: number;
}
const Optional = Fields.partial({ enabled: true, notes: true });
const Colored = Fields.extend({ color: z.string() }).partial();
export const update = (thing: Thing, input: unknown): Thing => changed(thing, parse(Fields.partial(), input));
// @ts-expect-error an update of a field that the record does not have
export const paint = (thing: Thing, input: unknown): Thing => changed(thing, parse(Colored, input));
export const create = (input: unknown): Omit<Thing, 'id'> => newValues(Optional, input, { enabled: true });
// @ts-expect-error no default of an optional field that is never null
export const withoutDefault = (input: unknown) => newValues(Optional, input, {});

/** Records in /v1: a field of the response shape for each property that is not named as omitted. */
interface Terminal {
  readonly id: number;
  readonly serialNumber: string;
  readonly notes: string | null;
  readonly card: { readonly brand: string };
}
const Card = z.strictObject({ brand: z.string() });
const Shape = z.strictObject({
  id: z.int(),
  serial_number: z.string(),
  notes: z.string().nullable(),
  card: Card,
});
const card = ({ card: { brand } }: Terminal) => ({ brand });
export const shown = fieldsOf(Shape).from<Terminal>({ card });
// @ts-expect-error a shape that leaves a property of the record out
export const withoutNotes = fieldsOf(Shape.omit({ notes: true })).from<Terminal>({ card });
// @ts-expect-error a shape with a field that the record does not have
export const withMore = fieldsOf(Shape.extend({ more: z.string() })).from<Terminal>({ card });
// @ts-expect-error a shape that is never null for a property that may be null
export const withNotes = fieldsOf(Shape.extend({ notes: z.string() })).from<Terminal>({ card });
// @ts-expect-error an omission of a property that is shown
export const omitted = fieldsOf(Shape).from<Terminal>({ card, serialNumber: 'omitted' });

/** Types of GraphQL: a field for each property of the domain type, nullable as it is. */
const serialNumber = text('Serial number.');
const enabled = flag('Whether it is enabled.');
const frameworkVersion = nullable(text('Version.'));
const shownFields = { serialNumber, enabled, frameworkVersion };
// @ts-expect-error a type that leaves the field meta of the domain type out
export const Incomplete = auditedType<Device, 'logicalNumberId'>('Incomplete', 'A device.', shownFields);
interface Noted {
  readonly note: string | null;
}
export const Right = objectType<Noted>('Right', 'A record.', { note: nullable(text('A note.')) });
// @ts-expect-error a field that is never null for a property that may be null
export const Wrong = objectType<Noted>('Wrong', 'A record.', { note: text('A note.') });
