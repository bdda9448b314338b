import {
  getNullableType,
  GraphQLBoolean,
  GraphQLInt,
  GraphQLString,
  isLeafType,
  isNonNullType,
  type GraphQLOutputType,
} from 'graphql';

import type { ListRow } from '../../database/list/listing.js';
import type { JoinedOne } from '../../database/list/rows.js';
import { DateTime, JsonValue } from '../schema/scalars.js';
import { demandShort, Unplanned, type PlanRun } from './run.js';

/**
 * Makes the JSON text of each row, in order. `times` is how often each row is in the response: what it refers to
 * is read once, and counted as often.
 */
export type Texts<Row> = (
  run: PlanRun,
  rows: readonly Row[],
  times: readonly number[],
) => Promise<readonly string[]>;

/** How the text of a field is made: from one row, or for all rows together if it shows other records. */
export type FieldText<Row> =
  | { readonly write: (row: Row, run: PlanRun) => string }
  | {
      readonly texts: Texts<Row>;
      /** See `RecordPlan`. */
      readonly joined?: RecordPlan['joined'];
    };

/** A field with its name in the response. */
export type PlannedField<Row> = FieldText<Row> & { readonly key: string };

/** The selected fields of records that are read as rows. */
export interface RecordPlan {
  /** Columns to read, including the id. */
  readonly columns: readonly string[];
  readonly texts: Texts<ListRow>;
  /**
   * Joins by which one statement reads a record with the records that it refers to; null if they cannot be
   * joined. `of` is the alias of the record in the statement; null for the rows themselves.
   */
  readonly joined: (of: string | null) => readonly JoinedOne[] | null;
}

/** Texts of objects with these fields. */
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
      demandShort(length);
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

/**
 * The text of each row; undefined where there is none. A row that is there several times is read and made into text
 * once.
 */
export async function textsOfRows(
  run: PlanRun,
  { texts }: RecordPlan,
  rows: readonly (ListRow | undefined)[],
  times: readonly number[],
): Promise<readonly (string | undefined)[]> {
  const places = new Map<ListRow, number>();
  const timesOf: number[] = [];
  const placeOf: number[] = [];
  for (const [index, row] of rows.entries()) {
    const place = row === undefined ? -1 : (places.get(row) ?? places.size);
    placeOf.push(place);
    if (row === undefined) continue;
    if (place === places.size) places.set(row, place);
    timesOf[place] = (timesOf[place] ?? 0) + (times[index] ?? 0);
  }
  const made = await texts(run, [...places.keys()], timesOf);
  return placeOf.map((place) => made[place]);
}

/** Longer texts are joined from parts that are flat already. */
const MAX_PIECE = 4_096;

/**
 * Flattens a text. V8 stores a joined text as its parts until it is searched. Without this, it would copy the parts of
 * all rows at once when the response is sent: 1.0 ms for 280 kB instead of 0.3.
 */
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
