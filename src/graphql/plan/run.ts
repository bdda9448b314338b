import type { ReadWork } from '../../database/work.js';
import { hasTurnTaken, yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Variables } from '../limits/cost.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE } from '../limits/limits.js';

/** Ends a plan: the resolvers execute the operation instead. Its message is never shown. */
export class Unplanned extends Error {
  override readonly name = 'Unplanned';
}

/**
 * Characters of a response. The resolvers make longer ones, in parts, or refuse them. What the limit of a response measures is
 * at most twice as much.
 */
const MAX_CHARACTERS = LIMITS.answerBytes / 4;
/** Making a text takes as long as so many characters, however short it is. */
const SHORTEST = 256;
/** Characters that are made before the time is looked at. */
const PART = LONG_RESPONSE / 16;
/**
 * Others run when a turn has taken so long. Most texts are made in less: of operations that all yield, all are unfinished, with
 * their rows and texts, which then takes a third longer.
 */
const TURN_MS = 12;

/** One execution of a plan. */
export class PlanRun {
  /** Records in the response: `extensions.cost.actual`. */
  nodes = 0;
  /** Of records that may be large. */
  #bytes = 0;
  /** Characters since the time was looked at. */
  #made = 0;

  constructor(
    readonly work: ReadWork,
    /** Coerced. */
    readonly variables: Variables,
    /** Whether a record is read together with those that it refers to. */
    readonly isJoined = false,
  ) {}

  /** The text of each item, in order. Others run between parts of a long list. */
  async textOfEach<T>(items: Iterable<T>, textOf: (item: T, index: number) => string): Promise<string[]> {
    const texts: string[] = [];
    for (const item of items) {
      const text = textOf(item, texts.length);
      texts.push(text);
      this.#made += text.length + SHORTEST;
      if (this.#made < PART) continue;
      this.#made = 0;
      if (hasTurnTaken(TURN_MS)) await yieldToEventLoop();
    }
    return texts;
  }

  /** Counts the bytes of what was read of a list. Errors: `Unplanned` for too many, which the resolvers refuse. */
  counted<T>({ isLarge }: { readonly isLarge: boolean }, read: T): T {
    if (isLarge) this.#bytes += approximateJsonBytes(read);
    if (this.#bytes > LIMITS.readBytes) throw new Unplanned('Too many bytes are read');
    return read;
  }
}

/** Errors: `Unplanned`. */
export function demandShort(text: string): void {
  if (text.length > MAX_CHARACTERS) throw new Unplanned('A long response');
}

/** A JSON list. Errors: `Unplanned` for a long one. */
export function listText(entries: readonly string[]): string {
  let text = '[';
  for (const entry of entries) {
    text += text.length === 1 ? entry : `,${entry}`;
    demandShort(text);
  }
  return `${text}]`;
}
