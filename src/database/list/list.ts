/**
 * Lists with keyset pagination: of a company, or of many parents in one statement. The key of a record is
 * `[sort value, id]`, for example `['SN-0042', 17]`; the id makes the order total
 * (decisions.md#keyset-cursors).
 */
import { columnNames, type Row, type Tables } from '../../schema/schema.js';
import type { AuditedRecord, AuditedTableName, CompanyTable } from '../company/company-table.js';
import type { ReadWork } from '../work.js';
import type { Condition, FilterKind } from './condition.js';
import { ListStatements } from './list-statements.js';
import type {
  KeyValue,
  Listing,
  ListRow,
  Relation,
  RelationById,
  RelationByName,
  Slice,
  SliceRequest,
} from './listing.js';
import { type JoinedOne, type NewRows, newRowsOf } from './related-rows.js';
import {
  searchOfCount,
  searchOfCounts,
  searchOfSlice,
  searchOfSlices,
  type Search,
} from './request-class.js';

/** A list as services use it. */
export interface List<T> {
  readonly name: string;
  readonly isLarge: boolean;
  readonly orders: readonly string[];
  readonly filters: Readonly<Record<string, FilterKind>>;
  slice(work: ReadWork, request: SliceRequest): Promise<Slice<T>>;
  count(work: ReadWork, where: Condition | null): Promise<number>;
  /** The search that `slice` or `count` is; null if an index or a counter serves it. */
  searchOfSlice(request: SliceRequest): Search | null;
  searchOfCount(where: Condition | null): Search | null;
  /** Records by id, in one statement; ids that the company does not have are absent. */
  byIds(work: ReadWork, ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  /** See `Listing`. */
  readonly columns: Readonly<Record<string, string>>;
  /** The column of each order. */
  readonly ordered: Readonly<Record<string, string>>;
  /** Names of all columns of the table. */
  readonly allColumns: readonly string[];
  /** The record of a row with all columns. */
  recordOf(row: ListRow): T;
  /** A list whose results are rows of the given columns, which include the id, instead of records. */
  only(columns: readonly string[]): Pick<List<ListRow>, 'slice' | 'byIds'> & {
    /** A record, with columns of records that it refers to. */
    byId(work: ReadWork, id: number, joined: readonly JoinedOne[]): Promise<ListRow | undefined>;
  };
  /** Table and columns by which the records that refer to this list are joined with it. */
  readonly source: Pick<JoinedOne, 'table' | 'id' | 'company'>;
  /**
   * The records in the order of their insertion; `index` is the name of the index over the company and the
   * id.
   */
  newRows(index: string): NewRows<T>;
  /** Lists of the children of many parents, which are given by their ids (`number`) or names (`string`). */
  of(relation: RelationById): ChildList<T>;
  of(relation: RelationByName): ChildList<T, string>;
}

interface ChildSlices<T, P extends KeyValue> {
  slices(work: ReadWork, parents: readonly P[], request: SliceRequest): Promise<ReadonlyMap<P, Slice<T>>>;
}

/** The lists of many parents, read together. */
export interface ChildList<T, P extends KeyValue = number> extends ChildSlices<T, P> {
  readonly list: List<T>;
  /** See `List`. */
  only(columns: readonly string[]): ChildSlices<ListRow, P>;
  counts(work: ReadWork, parents: readonly P[], where: Condition | null): Promise<ReadonlyMap<P, number>>;
  /** The search that `slices` or `counts` is, for all parents together; null if an index serves it. */
  searchOfSlices(request: SliceRequest): Search | null;
  searchOfCounts(where: Condition | null): Search | null;
}

export function listOf<Name extends keyof Tables, T>(listing: Listing<Name, T>): List<T> {
  const statements = new ListStatements(listing);
  const list: List<T> = {
    name: listing.name,
    isLarge: listing.isLarge === true,
    orders: Object.keys(listing.orders),
    ordered: listing.orders,
    columns: columnsOf(listing),
    allColumns: columnNames(listing.table),
    recordOf: (row) => listing.recordOf(row as Row<Name>),
    only: (columns) => statements.only(columns),
    source: { table: listing.table, id: listing.id, company: listing.company ?? 'company_id' },
    filters: Object.fromEntries(Object.entries(listing.filters).map(([name, { kind }]) => [name, kind])),
    slice: (work, request) => statements.slice(work, request),
    count: (work, where) => statements.count(work, where),
    searchOfSlice: (request) => searchOfSlice(listing, request),
    searchOfCount: (where) => searchOfCount(listing, where),
    byIds: (work, ids) => statements.byIds(work, ids),
    newRows: (index) => newRowsOf(listing, index),
    of: <P extends KeyValue>(relation: Relation): ChildList<T, P> => ({
      list,
      slices: (work, parents, request) => statements.slices(work, relation, parents, request),
      only: (columns) => {
        const rows = statements.only(columns);
        return { slices: (work, parents, request) => rows.slices(work, relation, parents, request) };
      },
      counts: (work, parents, where) => statements.counts(work, relation, parents, where),
      searchOfSlices: (request) => searchOfSlices(listing, relation, request),
      searchOfCounts: (where) => searchOfCounts(listing, relation, where),
    }),
  };
  return list;
}

/** Columns by the property of a record, and by the names in `others`. */
function columnsOf<Name extends keyof Tables, T>({
  id,
  columns,
  others,
}: Listing<Name, T>): Readonly<Record<string, string>> {
  return { id, ...(columns as Readonly<Record<string, string>>), ...others };
}

/**
 * The list of an ordinary resource. Adds the orders and filters of the id, and of the times of creation and
 * change.
 */
export function auditedList<Name extends AuditedTableName, T extends AuditedRecord>(
  { table, columns, recordOf }: CompanyTable<Name, T>,
  own: Pick<Listing<Name, T>, 'name' | 'orders' | 'filters' | 'isLarge' | 'others'>,
): List<T> {
  const orders = { ID: 'id', ...own.orders, CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' };
  return listOf<Name, T>({
    ...own,
    table,
    recordOf,
    rows: table,
    id: 'id' as Listing<Name, T>['id'],
    columns,
    orders: orders as unknown as Listing<Name, T>['orders'],
    filters: {
      id: { column: 'id', kind: 'id', isUnique: true },
      ...own.filters,
      createdAt: { column: 'created_at', kind: 'instant' },
      updatedAt: { column: 'updated_at', kind: 'instant' },
    },
  });
}
