const BITS = 5;
const MASK = (1 << BITS) - 1;

/** The last six letters with one more, given its code; five bits each, the same for capitals. */
export const withLetter = (letters: number, code: number): number =>
  ((letters << BITS) | (code & MASK)) & ((1 << (6 * BITS)) - 1);

const codeOf = (word: string): number =>
  Array.from(word).reduce((letters, letter) => withLetter(letters, letter.charCodeAt(0)), 0);
const maskOf = (length: number): number => (1 << (length * BITS)) - 1;

/** Letters that nearly all words have at their end. */
const ENDING_LETTERS = 3;
const ENDING_MASK = maskOf(ENDING_LETTERS);

/** Words of two to six letters, sought in a text that is read letter by letter, whatever their case. */
export class Words {
  readonly #words: ReadonlySet<number>;
  readonly #masks: readonly number[];
  readonly #endings: ReadonlySet<number>;
  /** By the last three letters: whether a word may end there. */
  readonly #endsOfWords = new Uint8Array(ENDING_MASK + 1);

  constructor(words: readonly string[]) {
    this.#words = new Set(words.map(codeOf));
    this.#masks = [...new Set(words.map(({ length }) => maskOf(length)))];
    this.#endings = new Set(words.map((word) => codeOf(word) & MASK));
    for (const word of words) {
      const known = maskOf(Math.min(word.length, ENDING_LETTERS));
      const step = known + 1;
      for (let ending = codeOf(word) & known; ending <= ENDING_MASK; ending += step)
        this.#endsOfWords[ending] = 1;
    }
  }

  /** Whether a word ends with the letter of a code. */
  hasEnding(code: number): boolean {
    return this.#endings.has(code & MASK);
  }

  /** 1 if a word may end with the last letters, which nearly all letters of a text do not; otherwise 0. */
  mayEnd(letters: number): number {
    return this.#endsOfWords[letters & ENDING_MASK] ?? 0;
  }

  /** Whether the last letters are a word. */
  isEndOf(letters: number): boolean {
    return this.mayEnd(letters) === 1 && this.#isWord(letters);
  }

  #isWord(letters: number): boolean {
    return this.#masks.some((mask) => this.#words.has(letters & mask));
  }
}
