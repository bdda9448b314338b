import type { SharedText } from '../../platform/encoding/long-text.js';

/** An answer, and the position of the changes that it contains (see `CompanyChanges`). */
interface Kept {
  readonly answer: unknown;
  readonly position: number;
}

interface Entry extends Kept {
  readonly characters: number;
  /** Whether it was used since it was made, or since it was last kept instead of another. */
  isUsed: boolean;
}

/** The entries of one company, the oldest first. */
interface Shelf {
  readonly entries: Map<string, Entry>;
  characters: number;
}

/** Characters of all answers; of one an eighth of it. */
const MAX_CHARACTERS = 16 * 2 ** 20;
/** What an entry takes besides its characters. */
const OVERHEAD = 500;

/**
 * Answers by company and question. Where there is no more room, the company that has the most gives of its own: first
 * what was not used.
 */
export class KeptAnswers {
  readonly #shelves = new Map<number, Shelf>();
  #characters = 0;

  constructor(private readonly maxCharacters = MAX_CHARACTERS) {}

  get characters(): number {
    return this.#characters;
  }

  find(companyId: number, question: string): Kept | undefined {
    const entry = this.#shelves.get(companyId)?.entries.get(question);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  /** `text` takes most of the memory of the answer. */
  keep(companyId: number, question: string, kept: Kept, text: SharedText): void {
    const characters = question.length + text.length + OVERHEAD;
    const shelf = this.#shelves.get(companyId) ?? { entries: new Map(), characters: 0 };
    this.#drop(companyId, shelf, question);
    // To read a character joins the pieces of a text, which would be kept, and joined for each response.
    if (typeof text === 'string') void text.charCodeAt(0);
    if (characters > this.maxCharacters / 8) return;
    this.#shelves.set(companyId, shelf);
    shelf.entries.set(question, { ...kept, characters, isUsed: false });
    this.#count(shelf, characters);
    while (this.#characters > this.maxCharacters) this.#makeRoom();
  }

  #makeRoom(): void {
    const [first, ...others] = this.#shelves;
    if (first === undefined) return;
    const [companyId, shelf] = others.reduce(
      (most, each) => (each[1].characters > most[1].characters ? each : most),
      first,
    );
    for (const [question, entry] of shelf.entries) {
      if (!entry.isUsed) {
        this.#drop(companyId, shelf, question);
        return;
      }
      entry.isUsed = false;
      shelf.entries.delete(question);
      shelf.entries.set(question, entry);
    }
  }

  #drop(companyId: number, shelf: Shelf, question: string): void {
    const entry = shelf.entries.get(question);
    if (entry === undefined) return;
    shelf.entries.delete(question);
    this.#count(shelf, -entry.characters);
    if (shelf.entries.size === 0) this.#shelves.delete(companyId);
  }

  #count(shelf: Shelf, characters: number): void {
    shelf.characters += characters;
    this.#characters += characters;
  }
}
