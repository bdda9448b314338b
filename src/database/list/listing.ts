import { sql } from 'kysely';

import { columnNames, TABLES, type CounterName, type Row, type Tables } from '../../schema/schema.js';
import { listTable, comparableInstant, crossJoin, hiddenFromPlanner, type Sql } from '../storage.js';
import type { ReadWork } from '../work.js';
import {
  conjuncts,
  hasAlternatives,
  LAST,
  type Comparison,
  type Condition,
  type Filters,
} from './condition.js';

/** How the children of a parent are found: by a column with its id or name, or by links, with its id in `parent`. */
export type Relation =
  | {
      readonly column: string;
      readonly isName?: true;
      /** Another column and its value in all children; an index has both columns and the one of `order` after them. */
      readonly also?: { readonly column: string; readonly value: string; readonly order: string };
    }
  | { readonly link: LinkTable; readonly parent: string };

export type LinkRelation = Extract<Relation, { readonly link: string }>;

type LinkTable = CounterName & `${string}_${'versions' | 'groups' | 'modules' | 'files'}` & keyof Tables;

export interface ListTable {
  readonly table: keyof Tables;
  readonly id: string;
  /** Another table with one row for each row, whose id is in `id`. Statements that use one of `columns` read it too. */
  readonly joined?: {
    readonly table: keyof Tables;
    readonly id: string;
    readonly columns: readonly string[];
  };
  /** Column that is null in the rows of the table that are no records of the list. */
  readonly recordsHave?: string;
  /** Column with the id of the company; `company_id` unless set. */
  readonly company?: string;
  /** Columns to order by, by public name. Each has an index and is never null. */
  readonly orders: Readonly<Record<string, string>>;
  readonly filters: Filters;
  /** Counter of the company's rows; a fixed number if there is no counter. */
  readonly rows: CounterName | number;
  /** Records are added all the time, so a parent may have very many of them. */
  readonly isEndless?: true;
}

/** `Other` are columns that are not in the rows of the table: it computes them, or they are in `joined`. */
export interface Listing<Name extends keyof Tables, T, Other extends string = never> extends ListTable {
  /** Name of the record type, for example `LogicalNumber`. */
  readonly name: string;
  readonly table: Name;
  readonly id: ListColumn<Name>;
  readonly orders: Readonly<Record<string, ListColumn<Name> | Other>>;
  readonly recordOf: (row: Row<Name>) => T;
  /** Records may hold long texts, so the bytes that one request reads of them are limited. */
  readonly isLarge?: true;
  /** Columns by the property of a record that shows their value. Other properties need the record of `recordOf`. */
  readonly columns?: { readonly [P in keyof T]?: ListColumn<Name> };
  /** Columns, by name, that are not a property of a record: fields are computed from them. */
  readonly others?: Readonly<Record<string, ListColumn<Name> | Other>>;
}

export type ListColumn<Name extends keyof Tables> = string & keyof Row<Name>;

/** Some columns of a row, by name. */
export type ListRow = Readonly<Record<string, unknown>>;

/** A declaration of a list, whatever its table is. */
export interface AnyListing<T> extends ListTable, Pick<Listing<keyof Tables, T>, 'name' | 'isLarge'> {
  readonly recordOf: (row: ListRow) => T;
  readonly columns?: Readonly<Record<string, string>>;
  readonly others?: Readonly<Record<string, string>>;
}

/** Columns that a list reads, which include the id; `key` is the prefix of the names of its queries. */
export interface Reading {
  readonly listing: ListTable;
  readonly read: readonly string[];
  readonly key: string;
}

/** Each of these columns once. */
export const selected = (alias: string, columns: readonly string[]): Sql =>
  sql.join([...new Set(columns)].map((column) => sql.ref(`${alias}.${column}`)));

export function orderColumn({ table, orders }: ListTable, { order }: Pick<SliceRequest, 'order'>): string {
  const column = orders[order];
  if (column === undefined) throw new Error(`The list of ${table} has no order ${order}`);
  return column;
}

/** Condition for the company's rows `t`. SQLite needs a plainly bound company for the indexes of alternatives. */
export function ofCompany(list: ListTable, { caller }: ReadWork, where: Condition | null): Sql {
  const company = sql.ref(`t.${list.company ?? 'company_id'}`);
  return sql`${company} = ${boundCompany(caller.companyId, where)} ${isRecord(list)}`;
}

/** Condition for the rows `t` that are records of the list, after others. */
export const isRecord = ({ recordsHave }: ListTable): Sql =>
  recordsHave === undefined ? sql`` : sql`and ${sql.ref(`t.${recordsHave}`)} is not null`;

/** The company of rows that meet a condition, to be compared with a column (see `ofCompany`). */
export function boundCompany(companyId: number, where: Condition | null): Sql<number> {
  return hasAlternatives(where) ? sql<number>`${companyId}` : hiddenFromPlanner(companyId);
}

/** The column of a table of links with the id of the child. */
export const childColumn = ({ link, parent }: LinkRelation): string =>
  columnNames(link).find((name) => name !== 'company_id' && name !== parent) ?? '';

/** The parents as a table `p` with the column `value`. */
export function parentTable(relation: Relation, parents: readonly KeyValue[]): Sql {
  const isName = 'column' in relation && relation.isName === true;
  return listTable(isName ? 'text' : 'integer', parents);
}

/**
 * FROM and WHERE for the children `t` of the parent `p.value`; `ofCompany` and other conditions, on `used` columns,
 * follow. SQLite finds the children first: otherwise it would read a whole joined table for each parent.
 */
export function childrenOf(
  list: ListTable,
  relation: Relation,
  work: ReadWork,
  used: readonly string[] = [],
): Sql {
  if ('column' in relation) {
    const { column, also } = relation;
    const ofKind =
      also === undefined ? sql`` : sql`and ${sql.ref(`t.${also.column}`)} = ${sql.lit(also.value)}`;
    return sql`${tableWith(list, [column, ...used], { join: crossJoin })} as t where ${sql.ref(`t.${column}`)} = p.value ${ofKind}`;
  }
  // CROSS JOIN fixes the join order: a parent has fewer links than the company has records.
  return sql`${sql.table(relation.link)} as l cross join ${tableWith(list, used)} as t
    where l.company_id = ${hiddenFromPlanner(work.caller.companyId)} and ${sql.ref(`l.${relation.parent}`)} = p.value
      and ${sql.ref(`t.${list.id}`)} = ${sql.ref(`l.${childColumn(relation)}`)}`;
}

/** Name of a relation, unique in its list. */
export const nameOf = (relation: Relation): string =>
  'link' in relation
    ? `${relation.link} ${relation.parent}`
    : `${relation.column} ${relation.also?.value ?? ''}`;

/** Values that `childrenOf` and `ofCompany` bind: the company of the links, if there are any, and of the records. */
export function companiesOf({ caller: { companyId } }: ReadWork, relation?: Relation): readonly number[] {
  return relation !== undefined && 'link' in relation ? [companyId, companyId] : [companyId];
}

/** The joined table if it has one of the columns that a statement uses. */
const joinedFor = ({ joined }: ListTable, used: readonly string[]): ListTable['joined'] =>
  joined?.columns.some((column) => used.includes(column)) ? joined : undefined;

/** True if a statement uses columns of the joined table alone, beside the id. */
export const isOfJoined = (list: ListTable, used: readonly string[]): boolean =>
  joinedFor(list, used) !== undefined &&
  used.every((column) => column === list.id || list.joined?.columns.includes(column));

/**
 * The table as an item of FROM, before an alias, joined with the other one if `used` names a column of that. If it has all
 * of them, only that one is read. Both databases merge the subquery into the statement. `rows` are those of the joined
 * table to read first, by default all; without `join`, the planner chooses which table is read first.
 */
export function tableWith(
  list: ListTable,
  used: readonly string[],
  { rows, join = sql`join` }: { readonly rows?: Sql; readonly join?: Sql } = {},
): Sql {
  const table = sql.table(list.table);
  const joined = joinedFor(list, used);
  if (joined === undefined) return table;
  const own = sql`${table} as o`;
  const beside = sql`${rows ?? sql.table(joined.table)} as c`;
  const columns = selected('c', [joined.id, ...joined.columns]);
  const id = sql.ref(`c.${joined.id}`);
  if (isOfJoined(list, used))
    return sql`(select c.company_id, ${id} as ${sql.ref(list.id)}, ${columns} from ${beside})`;
  const both = rows === undefined ? sql`${own} ${join} ${beside}` : sql`${beside} ${crossJoin} ${own}`;
  return sql`(select o.*, ${columns} from ${both} on c.company_id = o.company_id and ${id} = ${sql.ref(`o.${list.id}`)})`;
}

/** The id column of the table that has `column`: only an index of that table has both. */
export const idBeside = (list: ListTable, column: string): string => joinedFor(list, [column])?.id ?? list.id;

export type KeyValue = string | number;

/** Position of a record in a list, for example `{ value: 'SN-0042', id: 17 }` in the order of serial numbers. */
export interface Key {
  readonly value: KeyValue;
  readonly id: number;
}

export interface SliceRequest {
  /** Name in `orders`. */
  readonly order: string;
  readonly descending: boolean;
  /** Reads the last `limit` records before `key` instead of the first ones after it, in the same order. */
  readonly backward: boolean;
  readonly limit: number;
  /** Null for the first page, or the last one with `backward`. */
  readonly key: Key | null;
  readonly condition: Condition | null;
  /** True if the next pages are read too: an index that finds many records would sort all of them for each page. */
  readonly isWalk?: boolean;
}

/** The first `limit` records of a list, in ascending order unless `more` says otherwise. */
export const firstIn = (order: string, limit: number, more: Partial<SliceRequest> = {}): SliceRequest => ({
  order,
  limit,
  descending: false,
  backward: false,
  key: null,
  condition: null,
  ...more,
});

/** A record, and its position in the list. */
export interface Item<T> {
  readonly record: T;
  readonly key: Key;
}

/** A page of a list. */
export class Slice<T> {
  readonly #keysOf: () => readonly Key[];

  constructor(
    readonly records: readonly T[],
    /** True if there are more records in the direction of the request. */
    readonly hasMore: boolean,
    /** The key of each record. */
    keysOf: () => readonly Key[],
  ) {
    this.#keysOf = keysOf;
  }

  /** The records with their keys, which most pages do not show: they are made when they are asked for. */
  get items(): readonly Item<T>[] {
    return this.#keysOf().map((key, index) => ({ record: this.records[index] as T, key }));
  }
}

export const EMPTY_SLICE = new Slice<never>([], false, () => []);

/** True if keys become smaller in the direction of the request. */
export const isDown = (request: Pick<SliceRequest, 'descending' | 'backward'>): boolean =>
  request.descending !== request.backward;

/** Sorts in memory: at most `limit + 1` rows per parent, cheaper than one ORDER BY over all parents. */
export function sortById(rows: ListRow[], id: string, request: SliceRequest): void {
  const sign = isDown(request) ? -1 : 1;
  rows.sort((a, b) => sign * ((a[id] as number) - (b[id] as number)));
}

/** Names of the columns that hold instants; a name has the same meaning in all tables. */
const INSTANTS: ReadonlySet<string> = new Set(
  TABLES.flatMap(({ columns }) => Object.keys(columns).filter((name) => columns[name]?.kind === 'instant')),
);

/** Sort value of a key, in the form that is compared with its column. */
export function boundKey(column: string, { value }: Key): KeyValue | Date {
  return INSTANTS.has(column) ? comparableInstant(value) : value;
}

/** The condition of a page without what its key implies: SQLite may start its index scan at such a bound, far away. */
export function besideKey(filters: Filters, column: string, request: SliceRequest): Condition | null {
  const { condition, key } = request;
  if (condition === null || key === null) return condition;
  const parts = conjuncts(condition).map((part) =>
    'field' in part && filters[part.field]?.column === column ? restBeside(key, part, request) : part,
  );
  return { and: parts };
}

function restBeside({ value: at }: Key, part: Comparison, request: SliceRequest): Condition {
  const { field, operator, value } = part;
  const end = value instanceof Date ? value.getTime() : value;
  if (typeof at === 'number' && typeof end === 'number') {
    const isImplied = isDown(request) ? operator === 'lt' && at < end : operator === 'gte' && at >= end;
    return isImplied ? { and: [] } : part;
  }
  if (operator !== 'startsWith' || !String(at).startsWith(String(value))) return part;
  const [other, bound] = isDown(request)
    ? (['gte', value] as const)
    : (['lt', `${String(value)}${LAST}`] as const);
  return { field, operator: other, value: bound };
}
