import type { ReadWork } from '../../database/work.js';
import { isTurnOver, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Variables } from '../limits/cost.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE } from '../limits/limits.js';

/** Ends a plan: the resolvers execute the operation instead. Its message is never sent to clients. */
export class Unplanned extends Error {
  override readonly name = 'Unplanned';
}

/**
 * Maximum characters of a planned response. The resolvers make longer ones, in parts, or refuse them. The
 * size that `LIMITS.answerBytes` limits is at most twice as large.
 */
const MAX_CHARACTERS = LIMITS.answerBytes / 4;
/** Minimum cost of making a text, in characters. */
const SHORTEST = 256;
/** Characters that are made between two looks at the clock. */
const PART = LONG_RESPONSE / 16;
/**
 * Maximum length of a turn of the event loop. Most responses are made in less. If all operations yielded, all
 * would be unfinished at once, with their rows and texts in memory, which takes a third longer.
 */
const TURN_MS = 12;

/** One execution of a plan. */
export class PlanRun {
  /** Records in the response: `extensions.cost.actual`. */
  nodes = 0;
  /** Entries of lists without pages in the response. */
  #entries = 0;
  /** Bytes read from large lists. */
  #bytes = 0;
  /** Characters made since the clock was read. */
  #made = 0;

  constructor(
    readonly work: ReadWork,
    /** Coerced values. */
    readonly variables: Variables,
    /** For resolvers. */
    readonly context: GraphqlContext,
    /** Whether records are read in one statement with the records that they refer to. */
    readonly isJoined = false,
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

  /**
   * The entries of a list without pages that is in the response `times` times. Errors: `Unplanned` for more than
   * the resolvers answer.
   */
  async entries(list: readonly unknown[], times = 0): Promise<readonly unknown[]> {
    this.#entries += list.length * times;
    if (this.#entries > LIMITS.unpagedEntries) throw new Unplanned('Too many entries');
    return await Promise.all(list);
  }

  /**
   * Counts the bytes of rows of a large list. Errors: `Unplanned` for more than a planned response has: a plan
   * has no permit of `largeReads`, and many may have yielded with their rows in memory.
   */
  counted<T>({ isLarge }: { readonly isLarge: boolean }, read: T): T {
    if (isLarge) this.#bytes += approximateJsonBytes(read);
    if (this.#bytes > MAX_CHARACTERS) throw new Unplanned('A long response');
    return read;
  }
}

/** Errors: `Unplanned` for a text of more than `MAX_CHARACTERS`. */
export function demandShort(characters: number): void {
  if (characters > MAX_CHARACTERS) throw new Unplanned('A long response');
}

/** A JSON array. Errors: `Unplanned` for a long one. */
export function listText(entries: readonly string[]): string {
  let text = '[';
  for (const entry of entries) {
    text += text.length === 1 ? entry : `,${entry}`;
    demandShort(text.length);
  }
  return `${text}]`;
}
