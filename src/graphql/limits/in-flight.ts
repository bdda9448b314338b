import { DomainError } from '../../platform/errors.js';

/** Bytes of answers that their clients have yet to take, at most: of one company, and of all. */
const MAX_OF_COMPANY = 128 * 1024 * 1024;
const MAX_OF_ALL = 512 * 1024 * 1024;
/** Shorter texts are many before they are much. */
const LEAST = 64 * 1024;

const nothing = (): void => undefined;

/** What waits for clients is in memory, however slowly they take it. */
export class InFlightResponses {
  #all = 0;
  readonly #byCompany = new Map<number, number>();

  /** Room for an answer until the returned function is called; null where there is none. */
  take(companyId: number, bytes: number): (() => void) | null {
    if (bytes < LEAST) return nothing;
    const own = this.#byCompany.get(companyId) ?? 0;
    if (own + bytes > MAX_OF_COMPANY || this.#all + bytes > MAX_OF_ALL) return null;
    this.#add(companyId, bytes);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(companyId, -bytes);
      isTaken = false;
    };
  }

  #add(companyId: number, bytes: number): void {
    this.#all += bytes;
    const own = (this.#byCompany.get(companyId) ?? 0) + bytes;
    if (own === 0) this.#byCompany.delete(companyId);
    else this.#byCompany.set(companyId, own);
  }
}

/** For the caller: what has been asked for before is to be read first. */
export function tooManyInFlight(): DomainError {
  return new DomainError('busy', 'Too many large answers wait to be read: read them, then ask again.', {
    retryAfter: 5,
  });
}
