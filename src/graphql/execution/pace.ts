import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

/** Entries of a list that are rendered in one turn of the event loop: a payment with all its fields takes some 40 µs. */
const ENTRIES_PER_TURN = 100;

/** Divides what graphql-js would render in one go: it waits for the promises in a list. */
export class Pace {
  #turn = Promise.resolve();
  #left = 0;

  constructor(private readonly perTurn = ENTRIES_PER_TURN) {}

  /** Resolves when so many more entries may be rendered; the first ones in a later turn too. */
  take(entries: number): Promise<void> {
    if (this.#left <= 0) {
      this.#turn = this.#turn.then(yieldToEventLoop);
      this.#left = this.perTurn;
    }
    this.#left -= entries;
    return this.#turn;
  }
}

/** The entries of a long list as promises: others run between its parts. */
export function inParts<T>(entries: readonly T[]): readonly (T | Promise<T>)[] {
  return entries.length <= ENTRIES_PER_TURN ? entries : paced(entries, new Pace());
}

export function paced<T>(entries: readonly T[], pace: Pace): readonly Promise<T>[] {
  return entries.map((entry) => pace.take(1).then(() => entry));
}
