import { NUMBERED_TABLES } from '../../../src/database/statements.js';
import { columnsOf, type Tables } from '../../../src/schema/schema.js';
import type { SqlRow, SqlValue, TestPlace } from './place.js';

/** Both databases accept more parameters of one statement. */
const MAX_PARAMETERS = 30_000;

/** An `insert` of rows that all have the columns of the first, and its values. */
export function insertText(table: string, rows: readonly SqlRow[]): [text: string, values: SqlValue[]] {
  const columns = Object.keys(rows[0] ?? {});
  const values: SqlValue[] = [];
  const tuples = rows.map((row) => {
    const places = columns.map((column) => `$${values.push(row[column] ?? null)}`);
    return `(${places.join()})`;
  });
  const names = columns.map((column) => `"${column}"`);
  return [`insert into "${table}" (${names.join()}) values ${tuples.join()}`, values];
}

/** Inserts rows by plain SQL. */
export async function insertRows(
  { sql }: Pick<TestPlace, 'sql'>,
  table: string,
  rows: readonly SqlRow[],
): Promise<void> {
  const size = Math.floor(MAX_PARAMETERS / Object.keys(rows[0] ?? { none: null }).length);
  for (let start = 0; start < rows.length; start += size) {
    await sql(...insertText(table, rows.slice(start, start + size)));
  }
}

/** Tables whose ids count for each company. */
export const NUMBERED: ReadonlySet<string> = new Set(NUMBERED_TABLES);

/**
 * Inserts `count` rows of a company, with ids that follow those of the table; `rowOf` gets 1 for the first row. Resolves
 * to the ids, which are empty for a table whose rows have none of their own.
 */
export async function insertMany(
  place: Pick<TestPlace, 'sql'>,
  [table, companyId, count]: readonly [table: string, companyId: number, count: number],
  rowOf: (n: number) => SqlRow,
): Promise<readonly number[]> {
  const numbers = Array.from({ length: count }, (_, n) => n + 1);
  const isNumbered = NUMBERED.has(table);
  const before = isNumbered ? await drawnBefore(place, table, companyId, count) : 0;
  const idOf = (n: number): SqlRow => (isNumbered ? { id: before + n } : {});
  const rows = numbers.map((n) => ({ company_id: companyId, ...idOf(n), ...rowOf(n) }));
  await insertRows(place, table, rows);
  return isNumbered ? numbers.map((n) => before + n) : [];
}

/** Draws ids for rows of a company; resolves to the number before the first of them. */
export async function drawnBefore(
  { sql }: Pick<TestPlace, 'sql'>,
  table: string,
  companyId: number,
  count: number,
): Promise<number> {
  const [drawn] = await sql<{ last: number }>(
    `insert into counters (company_id, name, total, last_drawn) values ($1, $2, 0, $3)
     on conflict (company_id, name) do update set last_drawn = counters.last_drawn + excluded.last_drawn
     returning last_drawn as last`,
    [companyId, table, count],
  );
  return (drawn?.last ?? 0) - count;
}

/** Audit columns of a record that was created by this user in 1970. */
export const audited = (createdBy: number | null): SqlRow => ({
  revision: 1,
  created_at: new Date(0),
  updated_at: new Date(0),
  created_by: createdBy,
  created_via: 'api',
});

/** The length of the text of each metacontent of `insertLarge`: 255 KiB. */
export const LARGE = 255 * 1024;

/** Inserts metacontents that are as large as they may be; `rowOf` has their owner and key, and gets 1 for the first. */
export async function insertLarge(
  place: Pick<TestPlace, 'sql'>,
  { companyId, userId }: { readonly companyId: number; readonly userId: number },
  count: number,
  rowOf: (n: number) => SqlRow,
): Promise<void> {
  const value = JSON.stringify('x'.repeat(LARGE));
  const rest = { ...audited(userId), value };
  await insertMany(place, ['metacontents', companyId, count], (n) => ({ ...rowOf(n), ...rest }));
}

/** A row with a value in each column that needs one: 1, false, the name of the column, or the time `at`. */
export function filled(table: keyof Tables, given: SqlRow, at: Date): SqlRow {
  const values = { integer: 1, instant: at, flag: false, json: '{}', jsonb: '{}', bytes: Buffer.from('b') };
  const needed = Object.entries(columnsOf(table)).filter(
    ([, { isOptional, fallback, isDrawn }]) => !isOptional && fallback === null && isDrawn !== true,
  );
  const defaults = needed.map(([name, { kind }]) => [name, kind === 'text' ? name : values[kind]]);
  return { ...(Object.fromEntries(defaults) as SqlRow), ...given };
}
