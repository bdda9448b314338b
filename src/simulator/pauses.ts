/** Pauses that all end together. */
export class Pauses {
  readonly #open = new Set<() => void>();
  #isOver = false;

  hasEnded(): boolean {
    return this.#isOver;
  }

  /** Resolves after `ms`, or at the end. */
  async pause(ms: number): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#open.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#open.add(end);
    });
  }

  end(): void {
    this.#isOver = true;
    const open = [...this.#open];
    for (const end of open) end();
  }
}
