import type { DeliveryCheck } from './delivery-check.service.js';

/** Why a wait ended: there may be a delivery, the token must be checked, or the time is over. */
export type Reason = 'woken' | 'checked' | 'over';

/** State of one waiting request. */
export class LongPoll {
  #lastCheck: DeliveryCheck | null = null;
  #reason: Reason | null = null;
  #resolve: ((reason: Reason) => void) | null = null;
  #mayBeRevoked = false;

  /** Result of the terminal's last check; null before the first one. */
  get lastCheck(): DeliveryCheck | null {
    return this.#lastCheck;
  }

  /** Call after each check, before the terminal waits. Later changes than the check's position wake it. */
  found(check: DeliveryCheck): void {
    this.#lastCheck = check;
    this.#mayBeRevoked = false;
  }

  /** Removes the lease from the last check, after it was handled. */
  leaseEnded(check: DeliveryCheck): void {
    if (this.#lastCheck === check) this.#lastCheck = { ...check, heldUntil: null };
  }

  /** Whether the terminal must still check its token, because another terminal of its gateway was refused. */
  get mayBeRevoked(): boolean {
    return this.#mayBeRevoked;
  }

  /** Makes the terminal check its token, because another terminal of its gateway was refused. */
  checkToken(): void {
    this.#mayBeRevoked = true;
    this.wake('checked');
  }

  /** Ends the wait: there may be a delivery (`woken`), or the access may have ended (`checked`). */
  wake(reason: 'woken' | 'checked'): void {
    // `woken` replaces `checked`, since only `woken` is limited in rate.
    if (this.#reason !== 'woken') this.#reason = reason;
    this.#resolve?.(this.#reason);
  }

  /** Resolves when the request is woken, after `ms`, or when the signal is aborted. */
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
