/** Wakes the one waiter. A notification while nobody waits is kept for the next `wait`. */
export class Signal {
  #isNotified = false;
  #wake: (() => void) | null = null;

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves when notified, after `maxMs` at the latest. */
  async wait(maxMs: number): Promise<void> {
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isNotified = false;
    this.#wake = null;
  }
}
