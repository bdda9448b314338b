/**
 * A companion is a table with one row for each row of another table. It has columns that change much more
 * often than the rest of a record, so that an update writes a short row and few indexes. Lists show, filter
 * and order by these columns like by those of the table itself.
 */
import { sql, type RawBuilder } from 'kysely';

import type { Row, Tables } from '../../schema/schema.js';
import { crossJoin } from '../storage.js';

const COMPANIONS = {
  devices: { table: 'device_presence', id: 'device_id', columns: ['last_seen_at'] },
} as const satisfies Partial<Record<keyof Tables, Companion>>;

interface Companion {
  readonly table: keyof Tables;
  /** Column with the id of the main record. */
  readonly id: string;
  readonly columns: readonly string[];
}

type Companions = typeof COMPANIONS;

/** A column of a table or of its companion. */
export type ListColumn<Name extends keyof Tables> = string &
  (keyof Row<Name> | (Name extends keyof Companions ? Companions[Name]['columns'][number] : never));

const companionOf = (table: keyof Tables): Companion | undefined =>
  (COMPANIONS as Partial<Record<keyof Tables, Companion>>)[table];

interface Joining {
  /** Rows of the companion to read first; by default all. */
  readonly rows?: RawBuilder<unknown>;
  /** Join of the table with its companion; by default the planner chooses which one is read first. */
  readonly join?: RawBuilder<unknown>;
}

/** Stands for all columns of a table, in a list of columns that a statement uses. */
export const ALL = '*';

/** Whether the companion has all columns that a statement uses, apart from the id. */
export function isOfCompanion(table: keyof Tables, used: readonly string[]): boolean {
  const columns = companionOf(table)?.columns ?? [];
  const others = used.filter((column) => !columns.includes(column) && column !== 'id');
  return others.length === 0 && used.some((column) => columns.includes(column));
}

/**
 * The table as an item of FROM, to be followed by an alias. If `used` names a column of its companion, both
 * are joined; if `used` names no other column except the id, only the companion is read. Both databases merge
 * the subquery into the statement.
 */
export function tableWith(
  table: keyof Tables,
  used: readonly string[],
  { rows, join = sql`join` }: Joining = {},
): RawBuilder<unknown> {
  const companion = companionOf(table);
  if (companion === undefined || !used.some((column) => companion.columns.includes(column))) {
    return sql.table(table);
  }
  const id = sql.ref(`c.${companion.id}`);
  const columns = sql.join([id, ...companion.columns.map((column) => sql.ref(`c.${column}`))]);
  const own = sql`${sql.table(table)} as o`;
  const beside = sql`${rows ?? sql.table(companion.table)} as c`;
  if (isOfCompanion(table, used)) return sql`(select c.company_id, ${id} as id, ${columns} from ${beside})`;
  const both = rows === undefined ? sql`${own} ${join} ${beside}` : sql`${beside} ${crossJoin} ${own}`;
  return sql`(select o.*, ${columns} from ${both} on c.company_id = o.company_id and ${id} = o.id)`;
}

/** The id column of the table that has `column`: only an index of that table has both. */
export function idBeside(table: keyof Tables, column: string, id: string): string {
  const companion = companionOf(table);
  return companion?.columns.includes(column) === true ? companion.id : id;
}
