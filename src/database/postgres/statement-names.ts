/** PostgreSQL plans a statement with a name once for each connection, instead of each time. */
const MAX_NAMES = 1_000;
/** Longer texts are batches of varying length: rarely repeated, and large when prepared. */
const MAX_TEXT_LENGTH = 8_192;

/** Names of statements by their text; of texts that are used once only, or beyond a thousand, none. */
export class StatementNames {
  readonly #names = new Map<string, string | null>();
  #count = 0;

  of(text: string): string | null {
    if (text.length > MAX_TEXT_LENGTH) return null;
    const known = this.#names.get(text);
    if (typeof known === 'string') return known;
    if (known === undefined) {
      if (this.#names.size < MAX_NAMES) this.#names.set(text, null);
      return null;
    }
    this.#count += 1;
    const name = `s${this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  /** To be called when tables have changed: a prepared statement would return the columns of before. */
  forget(): void {
    this.#names.clear();
  }
}
