const BITS = 5;
const MASK = (1 << BITS) - 1;

/** The last six letters with one more, given its code; five bits each, the same for capitals. */
export const withLetter = (letters: number, code: number): number =>
  ((letters << BITS) | (code & MASK)) & ((1 << (6 * BITS)) - 1);

const codeOf = (word: string): number =>
  Array.from(word).reduce((letters, letter) => withLetter(letters, letter.charCodeAt(0)), 0);

/** Words of at most six letters, sought in a text that is read letter by letter, whatever their case. */
export class Words {
  readonly #words: ReadonlySet<number>;
  readonly #masks: readonly number[];
  readonly #endings: ReadonlySet<number>;

  constructor(words: readonly string[]) {
    this.#words = new Set(words.map(codeOf));
    this.#masks = [...new Set(words.map(({ length }) => (1 << (length * BITS)) - 1))];
    this.#endings = new Set(words.map((word) => codeOf(word) & MASK));
  }

  /** Whether a word ends with the letter of a code. */
  hasEnding(code: number): boolean {
    return this.#endings.has(code & MASK);
  }

  /** Whether the last letters are a word. */
  isEndOf(letters: number): boolean {
    for (const mask of this.#masks) if (this.#words.has(letters & mask)) return true;
    return false;
  }
}
