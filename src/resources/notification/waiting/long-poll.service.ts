import type { DeliveryCheck } from './delivery-check.service.js';

/** Why a terminal that waits goes on: there may be something for it, or the time is over. */
export type Reason = 'woken' | 'checked' | 'over';

/** The place of one waiting request. */
export class LongPoll {
  #lastCheck: DeliveryCheck | null = null;
  #reason: Reason | null = null;
  #resolve: ((reason: Reason) => void) | null = null;
  #mayBeRevoked = false;

  /** What the terminal has found when it looked last. */
  get lastCheck(): DeliveryCheck | null {
    return this.#lastCheck;
  }

  /** To be called after each look, before the terminal waits. What comes after the position of the look wakes it. */
  found(check: DeliveryCheck): void {
    this.#lastCheck = check;
    this.#mayBeRevoked = false;
  }

  /** The lease by which its first delivery was held has been dealt with. */
  leaseEnded(check: DeliveryCheck): void {
    if (this.#lastCheck === check) this.#lastCheck = { ...check, heldUntil: null };
  }

  /** Whether the terminal has yet to look since another one of its gateway was refused. */
  get mayBeRevoked(): boolean {
    return this.#mayBeRevoked;
  }

  /** Another terminal of its gateway was refused: this one looks too. */
  checkToken(): void {
    this.#mayBeRevoked = true;
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
