import { SECOND, type Clock } from '../clock.js';

/** Delay before notes are stored after a pause: notes close together are stored together. */
const SOON_MS = SECOND / 4;

interface NotesOptions<Key, Note> {
  /** Stores the notes of one company. */
  readonly store: (companyId: number, notes: ReadonlyMap<Key, Note>) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Minimum time between the starts of two runs that store, in milliseconds. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/**
 * Notes about companies, stored in the background: all notes of a company in one call, one company after the
 * other, and no more often than `intervalMs` allows.
 */
export class CompanyNotes<Key, Note> {
  #waiting = new Map<number, Map<Key, Note>>();
  #timer: NodeJS.Timeout | undefined;
  #last = -Infinity;
  #storing = Promise.resolve();

  constructor(private readonly options: NotesOptions<Key, Note>) {}

  /** The notes of a company that are stored next. Add to them synchronously. */
  of(companyId: number): Map<Key, Note> {
    const { intervalMs, clock } = this.options;
    const notes = this.#waiting.get(companyId) ?? new Map<Key, Note>();
    this.#waiting.set(companyId, notes);
    const waitMs = Math.max(SOON_MS, this.#last + intervalMs - clock.elapsed());
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
