/** Called when the statement has ended, with its error if it failed. */
export type StatementEnd = (error?: unknown) => void;

/**
 * Called with the text of each statement before it runs, never with its values. May return a function that is
 * called after it.
 */
export type StatementListener = ((sql: string) => StatementEnd) | ((sql: string) => void);

/** The listeners of one database. */
export class StatementListeners {
  readonly #all = new Set<StatementListener>();

  /** Adds a listener, until the returned function is called. */
  add(listener: StatementListener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  /**
   * Calls all listeners. Returns the function to call when the statement has ended; undefined if there is
   * none.
   */
  notify(sql: string): StatementEnd | undefined {
    let ends: StatementEnd | undefined;
    for (const listener of this.#all) {
      const end = listener(sql);
      if (typeof end === 'function') ends = ends === undefined ? end : both(ends, end);
    }
    return ends;
  }
}

function both(first: StatementEnd, second: StatementEnd): StatementEnd {
  return (error) => {
    first(error);
    second(error);
  };
}
