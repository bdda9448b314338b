import {
  getNullableType,
  GraphQLBoolean,
  GraphQLInt,
  GraphQLString,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLOutputType,
} from 'graphql';

import type { List } from '../../database/list/list.js';
import type { ListRow } from '../../database/list/listing.js';
import type { ReadWork } from '../../database/work.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Variables } from '../limits/cost.js';
import { approximateJsonBytes, LIMITS, LONG_RESPONSE } from '../limits/limits.js';
import { DateTime, JsonValue } from '../schema/scalars.js';

/** Ends a plan: the resolvers execute the operation instead. Its message is never sent to clients. */
export class Unplanned extends Error {
  override readonly name = 'Unplanned';
}

/** Maximum characters of a planned response, which `answerBytes` counts up to twice. Resolvers make longer ones. */
const MAX_CHARACTERS = LIMITS.answerBytes / 4;
/** Minimum cost of making a text, in characters. */
const SHORTEST = 256;
/** Characters that are made between two looks at the clock. */
const PART = LONG_RESPONSE / 16;
/** Maximum length of a turn. If all yielded earlier, more responses would be in memory at once: a third slower. */
const TURN_MS = 12;

export class PlanRun {
  /** Records, and entries of lists without pages, that the response shows. */
  nodes = 0;
  entries = 0;
  #bytes = 0;
  /** Characters made since the clock was read. */
  #made = 0;
  readonly #records = new WeakMap<ListRow, unknown>();
  readonly #shared = new WeakMap<object, Map<object, Map<string, unknown>>>();

  constructor(
    readonly work: ReadWork,
    readonly variables: Variables,
    readonly context: GraphqlContext,
  ) {}

  /** The text of each item, in order. Yields to the event loop between parts of a long list. */
  async textOfEach<T>(items: Iterable<T>, textOf: (item: T, index: number) => string): Promise<string[]> {
    const texts: string[] = [];
    for (const item of items) {
      const text = textOf(item, texts.length);
      texts.push(text);
      this.#made += text.length + SHORTEST;
      if (this.#made < PART) continue;
      this.#made = 0;
      if (isTurnOver(TURN_MS)) await yieldToEventLoop();
    }
    return texts;
  }

  /** Makes the record of a row once, for all fields that need it. Without a list, the row is the record already. */
  recordOf(list: List<unknown> | null, row: ListRow): unknown {
    if (list === null) return row;
    const record = this.#records.get(row) ?? list.recordOf(row);
    this.#records.set(row, record);
    return record;
  }

  /** A part of what equal fields of the same rows read, `of` which there is one object. */
  async once<T>(rows: object, of: object, part: string, read: () => Promise<T>): Promise<T> {
    const ofRows = this.#shared.get(rows) ?? new Map<object, Map<string, unknown>>();
    this.#shared.set(rows, ofRows);
    const parts = ofRows.get(of) ?? new Map<string, unknown>();
    ofRows.set(of, parts);
    if (!parts.has(part)) parts.set(part, await read());
    return parts.get(part) as T;
  }

  /** Counts the bytes of large lists. Errors: `Unplanned` for more than a response has. */
  counted<T>({ isLarge }: { readonly isLarge: boolean }, read: T): T {
    if (isLarge) this.#bytes += approximateJsonBytes(read);
    if (this.#bytes > MAX_CHARACTERS) throw new Unplanned('A long response');
    return read;
  }
}

/** Errors: `Unplanned` for a text of more than `MAX_CHARACTERS`. */
export function requireShort(characters: number): void {
  if (characters > MAX_CHARACTERS) throw new Unplanned('A long response');
}

/** A JSON array. Errors: `Unplanned` for a long one. */
export function listText(entries: readonly string[]): string {
  let text = '[';
  for (const entry of entries) {
    text += text.length === 1 ? entry : `,${entry}`;
    requireShort(text.length);
  }
  return `${text}]`;
}

/** Makes the JSON text of each row, in order. `times` is how often each row is in the response. */
export type Texts<Row> = (
  run: PlanRun,
  rows: readonly Row[],
  times: readonly number[],
) => Promise<readonly string[]>;

/** How the text of a field is made: from one row, or for all rows together if it shows other records. */
export type FieldText<Row> =
  | { readonly write: (row: Row, run: PlanRun) => string }
  | { readonly texts: Texts<Row> };

export type PlannedField<Row> = FieldText<Row> & { readonly key: string };

/** The selected fields of records that are read as rows. */
export interface RecordPlan {
  /** Columns to read, including the id. */
  readonly columns: ReadonlySet<string>;
  readonly texts: Texts<ListRow>;
}

export function objectTexts<Row>(fields: readonly PlannedField<Row>[]): Texts<Row> {
  const starts = fields.map(({ key }, index) => `${index === 0 ? '' : ','}"${key}":`);
  return async (run, rows, times) => {
    const writers: ((row: Row, run: PlanRun, index: number) => string)[] = [];
    let length = 0;
    for (const field of fields) {
      if ('write' in field) {
        writers.push(field.write);
        continue;
      }
      const texts = await field.texts(run, rows, times);
      for (const text of texts) length += text.length;
      requireShort(length);
      writers.push((_row, _run, index) => texts[index] ?? '');
    }
    return await run.textOfEach(rows, (row, index) => {
      let text = '{';
      for (let field = 0; field < writers.length; field += 1) {
        text += starts[field] ?? '';
        text += writers[field]?.(row, run, index) ?? '';
      }
      return inOnePiece(`${text}}`);
    });
  };
}

/** The text of each row, undefined for none. A row that is there several times is made into text once. */
export async function textsOfRows(
  run: PlanRun,
  { texts }: RecordPlan,
  rows: readonly (ListRow | undefined)[],
  times: readonly number[],
): Promise<readonly (string | undefined)[]> {
  const places = new Map<ListRow, number>();
  const timesOf: number[] = [];
  const placeOf: number[] = [];
  rows.forEach((row, index) => {
    const place = row === undefined ? -1 : (places.get(row) ?? places.size);
    placeOf.push(place);
    if (row === undefined) return;
    if (place === places.size) places.set(row, place);
    timesOf[place] = (timesOf[place] ?? 0) + (times[index] ?? 0);
  });
  const made = await texts(run, [...places.keys()], timesOf);
  return placeOf.map((place) => made[place]);
}

/** Longer texts are joined from parts that are flat already. */
const MAX_PIECE = 4_096;

/** Flattens a text, which V8 stores as its parts until it is searched: 280 kB are sent in 0.3 ms, not 1.0. */
function inOnePiece(text: string): string {
  if (text.length <= MAX_PIECE && text.includes('\0')) throw new Unplanned('A control character');
  return text;
}

/** Makes the JSON text of a column's value. Errors: any, for values that the resolvers must report. */
type WriteLeaf = (value: unknown) => string;

/** Writers by type. Values of other types have the same form in columns and in records. */
const WRITERS: ReadonlyMap<unknown, WriteLeaf> = new Map<unknown, WriteLeaf>([
  [GraphQLString, (value) => JSON.stringify(demand(typeof value === 'string', value))],
  [GraphQLInt, (value) => String(demand(value === ((value as number) | 0), value))],
  [GraphQLBoolean, (value) => (demand(isFlag(value), value) ? 'true' : 'false')],
  [DateTime, (value) => `"${new Date(demand(typeof value === 'number', value) as number).toISOString()}"`],
  [JsonValue, (value) => JSON.stringify(JSON.parse(demand(typeof value === 'string', value) as string))],
]);

/** Errors: `Unplanned` for types that are no leaves. */
export function leafWriter(type: GraphQLOutputType): WriteLeaf {
  const leaf = getNullableType(type);
  if (!isLeafType(leaf)) throw new Unplanned('No leaf');
  const write =
    WRITERS.get(leaf) ?? ((value) => JSON.stringify(demand(value !== null, leaf.serialize(value))));
  return isNonNullType(type) ? write : (value) => (value === null ? 'null' : write(value));
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean' || value === 0 || value === 1;

function demand(isKnown: boolean, value: unknown): unknown {
  if (!isKnown) throw new Unplanned('A value that the resolvers are to show');
  return value;
}

/** The texts of the entries of some lists, made together. */
export async function textsByList<Entry>(
  run: PlanRun,
  lists: readonly (readonly Entry[])[],
  times: readonly number[],
  entryTexts: Texts<Entry>,
): Promise<readonly (readonly string[])[]> {
  const entries: Entry[] = [];
  const timesOfEntries: number[] = [];
  lists.forEach((list, index) => {
    for (const entry of list) {
      entries.push(entry);
      timesOfEntries.push(times[index] ?? 0);
    }
  });
  const texts = await entryTexts(run, entries, timesOfEntries);
  let end = 0;
  return lists.map(({ length }) => texts.slice(end, (end += length)));
}

/** The texts of values in memory: each is null, one entry, or a list of entries. Errors: `Unplanned` for others. */
export async function valueTexts(
  run: PlanRun,
  type: GraphQLOutputType,
  values: readonly unknown[],
  times: readonly number[],
  entryTexts: Texts<unknown>,
): Promise<readonly string[]> {
  const isList = isListType(getNullableType(type));
  const lists = values.map((value) => {
    if (value == null && isNonNullType(type)) throw new Unplanned('Null in a field that is not nullable');
    if (value == null) return [];
    return isList ? (value as readonly unknown[]) : [value];
  });
  if (lists.some((list) => list.some(isReadLater)))
    throw new Unplanned('Null in a list, or a value that is read later');
  const texts = await textsByList(run, lists, times, entryTexts);
  return await run.textOfEach(texts, (own, index) => {
    if (values[index] == null) return 'null';
    return isList ? listText(own) : (own[0] ?? '');
  });
}

const isReadLater = (entry: unknown): boolean =>
  entry == null || typeof entry === 'function' || entry instanceof Promise;
