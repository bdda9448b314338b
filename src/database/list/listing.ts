import { sql, type RawBuilder } from 'kysely';

import type { Tables, Row } from '../../schema/schema.js';
import { listTable } from '../bound-lists.js';
import { crossJoin, hiddenFromPlanner } from '../storage.js';
import type { CounterName } from '../totals.js';
import type { ReadWork } from '../work.js';
import { hasAlternatives, type Condition, type FilterColumn } from './condition.js';
import type { KeyValue } from './slice.js';

/**
 * How the children of a parent are found: by a column with the id (or name) of the parent, or by a table of
 * links.
 */
export type Relation =
  | { readonly column: string; readonly isName?: true }
  | { readonly link: LinkTable; readonly parent: string; readonly child: string };

export type LinkRelation = Extract<Relation, { readonly link: string }>;
export type RelationByName = Extract<Relation, { readonly column: string }> & { readonly isName: true };
export type RelationById = Relation & { readonly isName?: never };

type LinkTable = CounterName & `${string}_${'versions' | 'groups' | 'modules' | 'files'}` & keyof Tables;

/** The table of a list, its orders and its filters. */
export interface ListTable {
  readonly table: keyof Tables;
  /** Column of the unique id. */
  readonly id: string;
  /** Column with the id of the company; `company_id` unless set. */
  readonly company?: string;
  /** Columns to order by, by public name. Each has an index and is never null. */
  readonly orders: Readonly<Record<string, string>>;
  /** Columns to filter by, by public name. */
  readonly filters: Readonly<Record<string, FilterColumn>>;
  /** Counter of the company's rows; a fixed number if there is no counter. */
  readonly rows: CounterName | number;
  /** Records are added all the time, so a parent may have very many of them. */
  readonly isEndless?: true;
}

/** The declaration of a list. */
export interface Listing<Name extends keyof Tables, T> extends ListTable {
  /** Name of the record type, for example `LogicalNumber`. */
  readonly name: string;
  readonly table: Name;
  readonly id: string & keyof Row<Name>;
  readonly orders: Readonly<Record<string, ListColumn<Name>>>;
  readonly recordOf: (row: Row<Name>) => T;
  /** Records may hold long texts, so the bytes that one request reads of them are limited. */
  readonly isLarge?: true;
  /**
   * Columns by the property of a record that shows their value. Other properties need the record of
   * `recordOf`.
   */
  readonly columns?: { readonly [P in keyof T]?: string & keyof Row<Name> };
  /** Columns, by name, that are not a property of a record: fields are computed from them. */
  readonly others?: Readonly<Record<string, ListColumn<Name>>>;
}

/** Some columns of a row, by name. */
export type ListRow = Readonly<Record<string, unknown>>;

/**
 * Condition for the rows `t` of the caller's company. If `where` has alternatives, SQLite finds each by its
 * own index; the company is then bound without `hiddenFromPlanner`, since SQLite would not use it for these
 * indexes otherwise.
 */
export function ofCompany(
  list: ListTable,
  { caller }: ReadWork,
  where: Condition | null,
): RawBuilder<unknown> {
  const company = sql.ref(`t.${list.company ?? 'company_id'}`);
  return sql`${company} = ${boundCompany(caller.companyId, where)}`;
}

/** The company of rows that meet a condition, to be compared with a column (see `ofCompany`). */
export function boundCompany(companyId: number, where: Condition | null): RawBuilder<number> {
  return hasAlternatives(where) ? sql<number>`${companyId}` : hiddenFromPlanner(companyId);
}

/** The parents as a table `p` with the column `value`. */
export function parentTable(relation: Relation, parents: readonly KeyValue[]): RawBuilder<unknown> {
  const isName = 'column' in relation && relation.isName === true;
  return listTable(isName ? 'text' : 'integer', parents);
}

/**
 * FROM and WHERE for the children `t` of the parent `p.value`. The caller adds `ofCompany` and other
 * conditions, whose columns are `used`. SQLite finds the children first: otherwise it would read the
 * presence of all devices for each parent.
 */
export function childrenOf(
  { table, id }: ListTable,
  relation: Relation,
  work: ReadWork,
  used: readonly string[] = [],
): RawBuilder<unknown> {
  if ('column' in relation) {
    return sql`${tableWith(table, [relation.column, ...used], { join: crossJoin })} as t where ${sql.ref(`t.${relation.column}`)} = p.value`;
  }
  // CROSS JOIN fixes the join order: a parent has fewer links than the company has records.
  return sql`${sql.table(relation.link)} as l cross join ${tableWith(table, used)} as t
    where l.company_id = ${hiddenFromPlanner(work.caller.companyId)} and ${sql.ref(`l.${relation.parent}`)} = p.value
      and ${sql.ref(`t.${id}`)} = ${sql.ref(`l.${relation.child}`)}`;
}

/** Name of a relation, unique in its list. */
export const nameOf = (relation: Relation): string =>
  'link' in relation ? `${relation.link} ${relation.parent}` : relation.column;

/**
 * Values that `childrenOf` and `ofCompany` bind: the company of the links, if there are any, and of the
 * records.
 */
export function companiesOf({ caller: { companyId } }: ReadWork, relation?: Relation): readonly number[] {
  return relation !== undefined && 'link' in relation ? [companyId, companyId] : [companyId];
}

/**
 * Whether a statement uses `last_seen_at` of devices. It is in a table of its own, `device_presence`, with one row
 * for each device: it changes much more often than the rest of a device, so an update writes a short row and one
 * index. Lists show, filter and order by it like by the columns of devices themselves.
 */
const usesPresence = (table: keyof Tables, used: readonly string[]): boolean =>
  table === 'devices' && used.includes('last_seen_at');

/** A column of a table, or of the presence of devices. */
export type ListColumn<Name extends keyof Tables> = string &
  (keyof Row<Name> | (Name extends 'devices' ? 'last_seen_at' : never));

interface Joining {
  /** Rows of the presence to read first; by default all. */
  readonly rows?: RawBuilder<unknown>;
  /** Join of devices with their presence; by default the planner chooses which one is read first. */
  readonly join?: RawBuilder<unknown>;
}

/** Whether the presence of devices has all columns that a statement uses. */
export const isOfPresence = (table: keyof Tables, used: readonly string[]): boolean =>
  usesPresence(table, used) && used.every((column) => column === 'last_seen_at' || column === 'id');

/**
 * The table as an item of FROM, to be followed by an alias. Devices are joined with their presence if `used` names
 * its column; if `used` names no other column except the id, only the presence is read. Both databases merge the
 * subquery into the statement.
 */
export function tableWith(
  table: keyof Tables,
  used: readonly string[],
  { rows, join = sql`join` }: Joining = {},
): RawBuilder<unknown> {
  if (!usesPresence(table, used)) return sql.table(table);
  const own = sql`${sql.table(table)} as o`;
  const beside = sql`${rows ?? sql.table('device_presence')} as c`;
  const columns = sql`${sql.ref('c.device_id')}, ${sql.ref('c.last_seen_at')}`;
  if (isOfPresence(table, used))
    return sql`(select c.company_id, c.device_id as id, ${columns} from ${beside})`;
  const both = rows === undefined ? sql`${own} ${join} ${beside}` : sql`${beside} ${crossJoin} ${own}`;
  return sql`(select o.*, ${columns} from ${both} on c.company_id = o.company_id and c.device_id = o.id)`;
}

/** The id column of the table that has `column`: only an index of that table has both. */
export const idBeside = (table: keyof Tables, column: string, id: string): string =>
  usesPresence(table, [column]) ? 'device_id' : id;
