/** Maximum characters in memory for one page; a single longer text is allowed. */
const MAX_LENGTH = 256 * 1024;

type Text = string | null;

/** The texts of the events of one page: each is made once for all subscribers that get the same. */
export class SharedTexts {
  readonly #texts = new Map<string, Map<number, Text | Promise<Text>>>();
  #length = 0;

  /**
   * Text of an event that all subscribers with this key share; null if each must make its own. `make` is
   * called for the first subscriber only. An existing text is returned without a promise, so that nothing is
   * awaited.
   */
  of(key: string, id: number, make: () => Promise<Text>): Text | Promise<Text> {
    const known = this.#texts.get(key)?.get(id);
    if (known !== undefined) return known;
    const making = this.#made(key, id, make);
    this.#set(key, id, making);
    return making;
  }

  async #made(key: string, id: number, make: () => Promise<Text>): Promise<Text> {
    const text = await make().catch(() => null);
    this.#length += text?.length ?? 0;
    // Who asks later makes it again.
    if (this.#length > MAX_LENGTH) this.#clear(text?.length ?? 0);
    this.#set(key, id, text);
    return text;
  }

  #clear(kept: number): void {
    this.#texts.clear();
    this.#length = kept;
  }

  #set(key: string, id: number, text: Text | Promise<Text>): void {
    const own = this.#texts.get(key) ?? new Map<number, Text | Promise<Text>>();
    this.#texts.set(key, own.set(id, text));
  }
}
