import { GraphQLError } from 'graphql';

import { comparisonsIn, type Condition } from '../../../database/list/condition.js';
import type { IdSpan, NewRows } from '../../../database/list/new-rows.js';
import type { Units } from '../../../database/work.js';
import type { Caller } from '../../../platform/requests.js';
import { approximateJsonBytes } from '../../limits/limits.js';

/** Maximum records in memory for one subscriber. If its client is slow, the rest stays in the database. */
const PAGE_SIZE = 25;
/** Maximum bytes of these records. A single record may have more. */
export const PAGE_BYTES = 256 * 1024;
/** Maximum ids that one statement searches and values that it compares: a filter may match few of them. */
const MAX_IDS = 2_000;
const MAX_VALUES = 20_000;
/** Maximum characters of the texts in memory for one page; a single longer text is allowed. */
const MAX_TEXTS = 256 * 1024;

export interface Identified {
  readonly id: number;
}

/** Source of events: a table of a company, and a condition for its records; null without a filter. */
export interface Source<T> {
  readonly newRows: NewRows<T>;
  readonly condition: Condition | null;
}

export interface Page<T> {
  /** All records that meet the condition and have an id greater than `after`, up to `upTo`; ascending. */
  readonly records: readonly T[];
  readonly after: number;
  readonly upTo: number;
  readonly bytes: number;
  /** The last id of the company when the page was read. */
  readonly last: number;
}

/** The next page after an id, read in one unit, so that it has no gap. Errors: EVENTS_GONE. */
export async function readPage<T extends Identified>(
  units: Units,
  caller: Caller,
  { newRows, condition }: Source<T>,
  after: number,
): Promise<Page<T>> {
  return await units.read(caller, async (work) => {
    const span = await newRows.span(work, caller.companyId);
    requireNoGap(span, after);
    const { last } = span;
    const ids = Math.floor(MAX_VALUES / ((condition === null ? 0 : comparisonsIn(condition)) + 1));
    const upTo = Math.min(last, after + Math.min(ids, MAX_IDS));
    const range = { after, upTo, limit: PAGE_SIZE, condition };
    const found = upTo === after ? [] : await newRows.read(work, range);
    const { records, bytes } = withinPageBytes(found);
    // All records of the range are in the page: its other ids do not meet the condition.
    const isComplete = found.length < PAGE_SIZE && records.length === found.length;
    return { records, after, upTo: isComplete ? upTo : (records.at(-1)?.id ?? upTo), bytes, last };
  });
}

/** Errors: EVENTS_GONE where records after the cursor were deleted by retention. */
export function requireNoGap({ first }: IdSpan, cursor: number): void {
  if (first <= cursor + 1) return;
  const resumeAfter = first - 1;
  throw new GraphQLError(
    `Events ${cursor + 1} to ${resumeAfter} were deleted by retention. Resume with after: ${resumeAfter}.`,
    { extensions: { code: 'EVENTS_GONE', resumeAfter } },
  );
}

/** The first records that have at most `PAGE_BYTES` in total; at least one. */
function withinPageBytes<T>(found: readonly T[]): { records: readonly T[]; bytes: number } {
  let bytes = 0;
  for (const [index, record] of found.entries()) {
    const more = approximateJsonBytes(record);
    if (index > 0 && bytes + more > PAGE_BYTES) return { records: found.slice(0, index), bytes };
    bytes += more;
  }
  return { records: found, bytes };
}

type Text = Promise<string | null>;

/** The texts of the events of one page: each is made once for all subscribers that get the same. */
export class SharedTexts {
  readonly #texts = new Map<string, Text>();
  #length = 0;

  /** Text of an event for all subscribers with this key; null if it is not shared. */
  of(key: string, id: number, make: () => Text): Text {
    const name = `${id} ${key}`;
    const text = this.#texts.get(name) ?? this.#made(name, make);
    this.#texts.set(name, text);
    return text;
  }

  async #made(name: string, make: () => Text): Text {
    const text = await make().catch(() => null);
    this.#length += text?.length ?? 0;
    if (this.#length > MAX_TEXTS) {
      // Subscribers that ask for the other texts later make them again.
      this.#texts.clear();
      this.#texts.set(name, Promise.resolve(text));
      this.#length = text?.length ?? 0;
    }
    return text;
  }
}

const textsOfPages = new WeakMap<readonly Identified[], SharedTexts>();

/** The texts of records that several subscribers get as the same array. */
export function textsOf(records: readonly Identified[]): SharedTexts {
  const texts = textsOfPages.get(records) ?? new SharedTexts();
  textsOfPages.set(records, texts);
  return texts;
}
