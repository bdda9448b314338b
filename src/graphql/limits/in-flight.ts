import { DomainError } from '../../platform/errors.js';

/** Bytes of responses that clients have not read yet: of one company, and of all. */
const MAX_OF_COMPANY = 128 * 1024 * 1024;
const MAX_OF_ALL = 512 * 1024 * 1024;
/** Shorter responses are not counted. */
const MIN_COUNTED = 64 * 1024;

const nothing = (): void => undefined;

/** Limits the bytes of responses that are in memory because their clients have not read them. */
export class InFlightResponses {
  #all = 0;
  readonly #byCompany = new Map<number, number>();

  /** Counts a response until the returned function is called; null where it exceeds a limit. */
  take(companyId: number, bytes: number): (() => void) | null {
    if (bytes < MIN_COUNTED) return nothing;
    const own = this.#byCompany.get(companyId) ?? 0;
    if (own + bytes > MAX_OF_COMPANY || this.#all + bytes > MAX_OF_ALL) return null;
    this.#add(companyId, bytes);
    let isCounted = true;
    return () => {
      if (isCounted) this.#add(companyId, -bytes);
      isCounted = false;
    };
  }

  #add(companyId: number, bytes: number): void {
    this.#all += bytes;
    const own = (this.#byCompany.get(companyId) ?? 0) + bytes;
    if (own === 0) this.#byCompany.delete(companyId);
    else this.#byCompany.set(companyId, own);
  }
}

export function tooManyInFlight(): DomainError {
  return new DomainError('busy', 'Too many large responses are unread. Read them, then send this again.', {
    retryAfter: 5,
  });
}
