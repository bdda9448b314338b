import type { Look } from './look.service.js';

/** Why a terminal that waits goes on: there may be something for it, or the time is over. */
export type Reason = 'woken' | 'checked' | 'over';

/** The place of one waiting request. */
export class Seat {
  #look: Look | null = null;
  #reason: Reason | null = null;
  #resolve: ((reason: Reason) => void) | null = null;
  #isTokenInDoubt = false;

  /** What the terminal has found when it looked last. */
  get look(): Look | null {
    return this.#look;
  }

  /** To be called after each look, before the terminal waits. What comes after the position of the look wakes it. */
  found(look: Look): void {
    this.#look = look;
    this.#isTokenInDoubt = false;
  }

  /** The lease by which its first delivery was held has been dealt with. */
  leaseEnded(look: Look): void {
    if (this.#look === look) this.#look = { ...look, heldUntil: null };
  }

  /** Whether the terminal has yet to look since another one of its gateway was refused. */
  get isTokenInDoubt(): boolean {
    return this.#isTokenInDoubt;
  }

  /** Another terminal of its gateway was refused: this one looks too. */
  checkToken(): void {
    this.#isTokenInDoubt = true;
    this.wake('checked');
  }

  /** The terminal looks: there may be something for it (`woken`), or it may not use the service any more. */
  wake(reason: 'woken' | 'checked'): void {
    // What is new for a terminal is paced, so it goes before a check.
    if (this.#reason !== 'woken') this.#reason = reason;
    this.#resolve?.(this.#reason);
  }

  /** Resolves when it is woken, after `ms`, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<Reason> {
    const reason = this.#reason ?? (await this.#woken(ms, signal));
    this.#reason = null;
    return reason;
  }

  async #woken(ms: number, signal: AbortSignal): Promise<Reason> {
    if (signal.aborted || ms <= 0) return 'over';
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    try {
      return await new Promise<Reason>((resolve) => {
        this.#resolve = resolve;
        stop = () => resolve('over');
        timer = setTimeout(stop, ms);
        signal.addEventListener('abort', stop);
      });
    } finally {
      this.#resolve = null;
      clearTimeout(timer);
      if (stop !== undefined) signal.removeEventListener('abort', stop);
    }
  }
}
