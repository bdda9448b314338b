/** A cache of the entries used last, limited by their number and by the characters of all keys together. */
export class Lru<V> {
  readonly #entries = new Map<string, V>();

  #characters = 0;

  constructor(
    private readonly capacity: number,
    private readonly maxCharacters = Infinity,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#delete(key);
    this.#entries.set(key, value);
    this.#characters += key.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.capacity && this.#characters <= this.maxCharacters) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    if (this.#entries.delete(key)) this.#characters -= key.length;
  }
}
