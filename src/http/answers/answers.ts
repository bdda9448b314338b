import type { CompanyChanges } from '../../database/company-changes.js';
import type { ReadWork } from '../../database/work.js';
import { callerWithRights, rightsKey, type Caller } from '../../platform/caller.js';
import type { SharedText } from '../../platform/encoding/long-text.js';
import { KeptAnswers } from './kept-answers.js';

/** Characters of a question at most. */
const MAX_QUESTION = 2_000;
/** Questions that are remembered, of all companies. */
const MAX_ASKED = 2_000;

/** Has the text that takes most of its memory; null if it is not to be kept. */
export interface Answer {
  readonly text: SharedText | null;
}

/** The work to read with, from that of the unit. */
export type ReadWith = (work: ReadWork) => ReadWork;

/**
 * Answers of `/v1` and GraphQL that only read. Those who ask the same, in the same company and with the same rights, get the
 * same answer until something in their company changes: dashboards ask the same every few seconds, each for several viewers.
 * What is asked for the second time is kept (decisions.md#kept-answers).
 */
export class Answers {
  readonly #kept = new KeptAnswers();
  /** The oldest first. */
  readonly #asked = new Set<string>();

  /** Without `changes`, each answer is made. */
  constructor(private readonly changes: CompanyChanges | null) {}

  /**
   * The answer to a question: a text that says what is asked, and begins with who answers it, so that its answers are of one
   * type. `make` reads with the work that it is given: an answer that depends on more of its caller than the rights, or on the
   * time, is not kept.
   */
  async to<T extends Answer>(
    question: string,
    caller: Caller,
    make: (readWith: ReadWith) => Promise<T>,
  ): Promise<T> {
    if (this.changes === null) return await make(asItIs);
    const { companyId } = caller;
    const asked = `${rightsKey(caller)} ${question}`;
    const kept = this.#kept.find(companyId, asked);
    if (kept !== undefined && !this.changes.hasChanged(companyId, kept.position)) return kept.answer as T;
    if (kept === undefined && !this.#isAskedAgain(`${companyId} ${asked}`)) return await make(asItIs);
    const reading = new SharedReading();
    const answer = await make((work) => reading.with(work));
    const { position } = reading;
    if (position !== null && answer.text !== null) {
      this.#kept.keep(companyId, asked, { answer, position }, answer.text);
    }
    return answer;
  }

  #isAskedAgain(question: string): boolean {
    if (question.length > MAX_QUESTION) return false;
    if (this.#asked.has(question)) return true;
    this.#asked.add(question);
    const [oldest = ''] = this.#asked;
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(oldest);
    return false;
  }
}

const asItIs: ReadWith = (work) => work;

/** The reading of an answer that others may get too. */
class SharedReading {
  #isPersonal = false;
  #position = Infinity;

  /** The position of the changes that the answer contains; null if others must not get it. */
  get position(): number | null {
    return this.#isPersonal || this.#position === Infinity ? null : this.#position;
  }

  /** The same work, which notes when something is read that concerns only its caller, or the time, or is never kept. */
  with(work: ReadWork): ReadWork {
    const note = (): void => void (this.#isPersonal = true);
    if (work.position === undefined) note();
    this.#position = Math.min(this.#position, work.position ?? 0);
    return {
      ...work,
      doNotKeep: note,
      caller: callerWithRights(work.caller, note),
      get now() {
        note();
        return work.now;
      },
    };
  }
}
