import type { Clock } from '../clock.js';
import { SparseRuns, type SparseTimes } from './sparse-runs.js';

interface NotesOptions<Notes> {
  readonly create: () => Notes;
  /** Stores the notes of one company. */
  readonly store: (companyId: number, notes: Notes) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly times: SparseTimes;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/**
 * Notes about companies, stored in the background: all notes of a company in one call, no more often than
 * `times` allows.
 */
export class CompanyNotes<Notes> {
  readonly #runs: SparseRuns;
  #waiting = new Map<number, Notes>();

  constructor(private readonly options: NotesOptions<Notes>) {
    this.#runs = new SparseRuns(() => this.#store(), options.times, options.clock);
  }

  /** The notes of a company that are stored next. Add to them synchronously. */
  of(companyId: number): Notes {
    const notes = this.#waiting.get(companyId) ?? this.options.create();
    this.#waiting.set(companyId, notes);
    this.#runs.request();
    return notes;
  }

  /** Stores all pending notes. Never rejects. */
  finish(): Promise<void> {
    return this.#runs.finish();
  }

  async #store(): Promise<void> {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const [companyId, notes] of all) {
      await this.options.store(companyId, notes).catch(this.options.onError);
    }
  }
}
