import type { Clock } from '../clock.js';
import { SparseRuns, type SparseTimes } from './sparse-runs.js';

interface NotesOptions<Notes> {
  readonly create: () => Notes;
  /** Stores what was noted of a company. */
  readonly store: (companyId: number, notes: Notes) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly times: SparseTimes;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** Notes of companies, which are stored in the background: those of a company together, and not more often than the times allow. */
export class CompanyNotes<Notes> {
  readonly #runs: SparseRuns;
  #waiting = new Map<number, Notes>();

  constructor(private readonly options: NotesOptions<Notes>) {
    this.#runs = new SparseRuns(() => this.#store(), options.times, options.clock);
  }

  /** The notes of a company that are stored next, to add to them at once. */
  of(companyId: number): Notes {
    const notes = this.#waiting.get(companyId) ?? this.options.create();
    this.#waiting.set(companyId, notes);
    this.#runs.request();
    return notes;
  }

  /** Stores what was noted. Never rejects. */
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
