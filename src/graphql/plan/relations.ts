import {
  getArgumentValues,
  getNullableType,
  isLeafType,
  print,
  type FieldNode,
  type GraphQLField,
} from 'graphql';

import type { Condition } from '../../database/list/condition.js';
import type { ChildList, List } from '../../database/list/list.js';
import {
  EMPTY_SLICE,
  type KeyValue,
  type ListRow,
  type Slice,
  type SliceRequest,
} from '../../database/list/listing.js';
import type { ReadWork } from '../../database/work.js';
import { hasVariable, type Variables } from '../limits/cost.js';
import type { Declared, Getter, Identified, Loaded, LoadForMany, OrderBy } from '../schema/declared.js';
import { foundOrNull } from '../schema/errors.js';
import { numberIn } from '../schema/node.js';
import { sliceRequest, type ListArgs } from '../schema/page.js';
import {
  listText,
  textsByList,
  textsOfRows,
  Unplanned,
  type FieldText,
  type PlanRun,
  type RecordPlan,
  type Texts,
} from './texts.js';

/** The columns to read from a list; no list for objects that are read already, whose columns are properties. */
export interface Read {
  readonly list: List<unknown> | null;
  readonly columns: Set<string>;
}

/** A read of a list that equal fields of a selection share. */
export interface SharedRead extends Read {
  readonly list: List<unknown>;
}

export function columnOf({ list, columns }: Read, property: string): string {
  const column = list === null ? property : list.columns[property];
  if (column === undefined) throw new Unplanned('A property that is no column');
  columns.add(column);
  return column;
}

/** Cursors contain the sort value, so all columns that a list can be ordered by are read. */
export function readKeys({ list, columns }: Read): void {
  for (const column of Object.values(list?.listing.orders ?? {})) columns.add(column);
}

/** The record whose id is in a column. */
export function oneText(
  read: SharedRead,
  reference: string,
  record: RecordPlan,
  isNullable: boolean,
): FieldText<ListRow> {
  const { list } = read;
  const view = viewOf(list, read);
  const load = async (run: PlanRun, rows: readonly ListRow[]): Promise<ReadonlyMap<unknown, ListRow>> => {
    const ids = new Set(rows.map((row) => row[reference]).filter((id) => id !== null));
    if (ids.size === 0) return new Map();
    return run.counted(list, await view().byIds(run.work, [...ids] as number[]));
  };
  return {
    texts: async (run, rows, times) => {
      const found = await run.once(rows, read, 'records', () => load(run, rows));
      const referred = rows.map((row) => found.get(row[reference]));
      const texts = await textsOfRows(run, record, referred, times);
      return texts.map((text, index) => {
        if (text !== undefined) run.nodes += times[index] ?? 0;
        else if (!isNullable) throw new Unplanned('No record in a field that is not nullable');
        return text ?? 'null';
      });
    },
  };
}

/** The list with the columns of a read, which are complete when a plan runs. Made once. */
function viewOf<L>(list: { only(columns: readonly string[]): L }, { columns }: Read): () => L {
  let view: L | undefined;
  return () => (view ??= list.only([...columns]));
}

export interface ConnectionPlan {
  readonly read: SharedRead;
  readonly texts: Texts<Page>;
  /** Data that the fields need: the records, the page (`pageInfo`, cursors), the total. */
  readonly needs: ReadonlySet<'records' | 'page' | 'total'>;
  readonly requestOf: RequestOf;
}

export type RequestOf = (variables: Variables) => SliceRequest;

/** A page of a list, empty and with the total 0 if no field needs them. */
export interface Page {
  readonly request: SliceRequest;
  readonly slice: Slice<ListRow>;
  readonly total: number;
}

/** The texts of lists with an entry for each record of a page. */
export function entriesText<Entry>(
  entriesOf: (slice: Slice<ListRow>) => readonly Entry[],
  entryTexts: Texts<Entry>,
): FieldText<Page> {
  return {
    texts: async (run, pages, times) => {
      // A page of size 0 has no records, though some may have been read to see whether there are any.
      const lists = pages.map(({ request, slice }) => (request.limit === 0 ? [] : entriesOf(slice)));
      return await run.textOfEach(await textsByList(run, lists, times, entryTexts), listText);
    },
  };
}

export function recordTexts(record: RecordPlan): Texts<ListRow> {
  return async (run, rows, times) => (await textsOfRows(run, record, rows, times)) as readonly string[];
}

/** Reads the pages of all rows, and their totals: one statement each, or two for pages of linked records. */
interface ReadPages {
  slices(work: ReadWork, rows: readonly ListRow[], request: SliceRequest): Promise<readonly Slice<ListRow>[]>;
  totals(work: ReadWork, rows: readonly ListRow[], condition: Condition | null): Promise<readonly number[]>;
}

function pagesText({ read, needs, requestOf, texts }: ConnectionPlan, pages: ReadPages): FieldText<ListRow> {
  return {
    texts: async (run, rows, times) => {
      if (rows.length === 0) return [];
      const request = requestOf(run.variables);
      const { work } = run;
      const load = async () => run.counted(read.list, await pages.slices(work, rows, request));
      const count = () => pages.totals(work, rows, request.condition);
      const needsSlices = needs.has('page') || (needs.has('records') && request.limit > 0);
      const slices = needsSlices ? await run.once(rows, read, 'records', load) : [];
      const totals = needs.has('total') ? await run.once(rows, read, 'total', count) : [];
      const shown = rows.map((_row, index) => {
        const slice = slices[index] ?? EMPTY_SLICE;
        run.nodes += slice.records.length * (times[index] ?? 0);
        return { request, slice, total: totals[index] ?? 0 };
      });
      return await texts(run, shown, times);
    },
  };
}

/** A page of the records that refer to each of some rows by a column. */
export function manyText(
  children: ChildList<unknown, KeyValue>,
  key: string,
  connection: ConnectionPlan,
): FieldText<ListRow> {
  const view = viewOf(children, connection.read);
  const parentsOf = (rows: readonly ListRow[]) => rows.map((row) => row[key] as KeyValue);
  return pagesText(connection, {
    slices: async (work, rows, request) => {
      const found = await view().slices(work, parentsOf(rows), request);
      return parentsOf(rows).map((parent) => found.get(parent) ?? EMPTY_SLICE);
    },
    totals: async (work, rows, condition) => {
      const found = await children.counts(work, parentsOf(rows), condition);
      return parentsOf(rows).map((parent) => found.get(parent) ?? 0);
    },
  });
}

/** A page of all records of the company, for the only row of the operation itself. */
export function rootPageText(connection: ConnectionPlan): FieldText<ListRow> {
  const { list } = connection.read;
  const view = viewOf(list, connection.read);
  return pagesText(connection, {
    slices: async (work, _rows, request) => [await view().slice(work, request)],
    totals: async (work, _rows, condition) => [await list.count(work, condition)],
  });
}

/** One record by exactly one of its keys, which the arguments have. */
export function findText(
  read: SharedRead,
  getters: Readonly<Record<string, Getter>>,
  keysOf: (variables: Variables) => Variables,
  record: RecordPlan,
): FieldText<ListRow> {
  const { list } = read;
  const view = viewOf(list, read);
  const idOf = async (run: PlanRun): Promise<number | null> => {
    const given = Object.entries(keysOf(run.variables)).filter(([, value]) => value != null);
    const [[name, value] = ['', null] as const, ...others] = given;
    if (others.length > 0) throw new Unplanned('Several keys');
    if (name === 'databaseId') return Number(value);
    if (name === 'id') return numberIn(list.name, String(value)) ?? null;
    const get = getters[name];
    if (get === undefined) throw new Unplanned('No key');
    return (await foundOrNull(() => get(run.work, String(value))))?.id ?? null;
  };
  return {
    texts: async (run, rows, times) => {
      const row = await run.once(rows, read, 'records', async () => {
        const id = await idOf(run);
        return run.counted(list, id === null ? undefined : (await view().byIds(run.work, [id])).get(id));
      });
      if (row === undefined) return ['null'];
      run.nodes += 1;
      return await record.texts(run, [row], times);
    },
  };
}

/** Finds a value of each of some records. */
export type ValuesOf = (
  run: PlanRun,
  records: readonly unknown[],
  times: readonly number[],
) => readonly unknown[] | Promise<readonly unknown[]>;

/** Reads values by the loader of the resolvers, so that after an error these get it from the cache and do not read again. */
function loadedValues(declared: Loaded): ValuesOf {
  const load = declared.load as LoadForMany<Identified, unknown>;
  return async (run, records, times) => {
    const identified = records as readonly Identified[];
    const loader = run.context.loaders.forMany(load, declared.entries);
    const found = await Promise.all(identified.map((record) => loader.load(record)));
    return identified.map((record, index) => {
      const value = declared.of(found[index], record, run.context);
      const shown = times[index] ?? 0;
      if (declared.isUnpaged === true) run.entries += shown * (value as readonly unknown[]).length;
      if (declared.isRecord === true && value !== null) run.nodes += shown;
      return value;
    });
  };
}

/** Finds the values of a field in records; null for values and relations of columns. */
export function ofRecords(
  { type }: GraphQLField<unknown, unknown>,
  declared: Declared,
  { list }: Read,
): ValuesOf | null {
  if (declared.kind === 'loaded') return loadedValues(declared);
  if (declared.kind === 'derived') return (_run, records) => records.map((record) => declared.of(record));
  if (declared.kind !== 'column') return null;
  const { property } = declared;
  if (list?.columns[property] !== undefined && isLeafType(getNullableType(type))) return null;
  return (_run, records) => records.map((record) => (record as Readonly<Record<string, unknown>>)[property]);
}

/** All nodes that select a field under one name in the response. */
export type Nodes = readonly [FieldNode, ...FieldNode[]];
/** Name of a field in the response, and all nodes that select it. */
export type Selected = readonly [string, Nodes];

/** Each field of a map has at least one node. */
export const selectedIn = (collected: ReadonlyMap<string, readonly FieldNode[]>) =>
  [...collected] as unknown as readonly Selected[];

/** Equal for fields of one selection that read the same, for example `device (databaseId: 1)`. */
export const keyOf = ([, [{ name, arguments: given = [] }]]: Selected): string =>
  `${name.value} (${given.map((argument) => print(argument)).join()})`;

export function requestsOf(
  list: List<unknown>,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  order?: OrderBy,
): RequestOf {
  return argumentsOf(field, node, (args: ListArgs) => sliceRequest(list, args, order));
}

/** Function that converts the arguments of a field. Arguments without variables are converted once. */
export function argumentsOf<T>(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  make: (args: Variables) => T,
): (variables: Variables) => T {
  const of = (variables: Variables): T => make(getArgumentValues(field, node, variables));
  if (node.arguments?.some(({ value }) => hasVariable(value)) === true) return of;
  const made = of({});
  return () => made;
}
