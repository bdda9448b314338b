import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';

/** Limits rendering to `perTurn` entries per turn of the event loop. */
export class EntriesPerTurn {
  #turn = Promise.resolve();
  #left: number;

  constructor(private readonly perTurn: number) {
    this.#left = perTurn;
  }

  /** Resolves when this number of entries may be rendered. */
  take(entries: number): Promise<void> {
    if (this.#left <= 0) {
      this.#turn = this.#turn.then(yieldToEventLoop);
      this.#left = this.perTurn;
    }
    this.#left -= entries;
    return this.#turn;
  }

  /** Resolves when all entries are rendered and have started their loads. */
  async idle(): Promise<void> {
    for (let turn; turn !== this.#turn;) {
      turn = this.#turn;
      await turn;
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
  }
}
