import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

/** Divides what would be rendered in one go: at most `perTurn` entries in each turn of the event loop. */
export class EntriesPerTurn {
  #turn = Promise.resolve();
  #left: number;

  constructor(private readonly perTurn: number) {
    this.#left = perTurn;
  }

  /** Resolves when so many more entries may be rendered. */
  take(entries: number): Promise<void> {
    if (this.#left <= 0) {
      this.#turn = this.#turn.then(yieldToEventLoop);
      this.#left = this.perTurn;
    }
    this.#left -= entries;
    return this.#turn;
  }

  /** Resolves when no entry waits, and the last ones have asked for what they need. */
  async idle(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
  }
}
