import type { Clock } from '../clock.js';

interface NotesOptions<Notes> {
  readonly create: () => Notes;
  /** Stores the notes of one company. */
  readonly store: (companyId: number, notes: Notes) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly times: {
    /** Delay before notes are stored after a pause, in milliseconds: notes close together are stored together. */
    readonly soonMs: number;
    /** Minimum time between the starts of two runs that store, in milliseconds. */
    readonly intervalMs: number;
  };
  readonly clock: Pick<Clock, 'elapsed'>;
}

/**
 * Notes about companies, stored in the background: all notes of a company in one call, one company after the
 * other, and no more often than `times` allows.
 */
export class CompanyNotes<Notes> {
  #waiting = new Map<number, Notes>();
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #storing = Promise.resolve();

  constructor(private readonly options: NotesOptions<Notes>) {}

  /** The notes of a company that are stored next. Add to them synchronously. */
  of(companyId: number): Notes {
    const { create, times, clock } = this.options;
    const notes = this.#waiting.get(companyId) ?? create();
    this.#waiting.set(companyId, notes);
    const waitMs = Math.max(times.soonMs, this.#last + times.intervalMs - clock.elapsed());
    this.#timer ??= setTimeout(() => void this.#store(), waitMs).unref();
    return notes;
  }

  /** Stores all pending notes. Never rejects. */
  async finish(): Promise<void> {
    if (this.#timer === undefined) await this.#storing;
    else await this.#store();
  }

  #store(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = this.options.clock.elapsed();
    this.#storing = this.#storing.then(() => this.#storeAll());
    return this.#storing;
  }

  async #storeAll(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const [companyId, notes] of all) {
      await this.options.store(companyId, notes).catch(this.options.onError);
    }
  }
}
