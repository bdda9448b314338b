import { parsedJson } from '../validate.js';

/** Receives the value of one field in pieces. */
export interface FieldTarget {
  /** The value begins; discards an earlier value. */
  begin(): void;
  add(piece: string): void;
}

/** Extracts the value of one field from a text that arrives in pieces, so that it is never in memory as a whole. */
export interface FieldScanner {
  /** Passes the part of the value in this piece to the target, and returns the rest, in which the value is empty. */
  add(piece: string): string;
  /** Ends the text. Returns the text held back for an incomplete escape sequence. */
  finish(): string;
}

/** Maximum length of a name that is compared: longer than any field name with each character escaped. */
const MAX_NAME = 200;

/** Extracts a string field of the outermost JSON object. The rest is well-formed JSON exactly if the whole text is. */
export class JsonFieldScanner implements FieldScanner {
  #place: 'between' | 'text' | 'value' = 'between';
  /** Number of open objects and arrays. */
  #depth = 0;
  /** The latest string, which may be the name of a field, with its escapes. */
  #latest = '';
  /** True if the next string is the value of the field. */
  #isNext = false;
  /** Incomplete escape sequence at the end of the previous piece. */
  #held = '';

  constructor(
    private readonly field: string,
    private readonly target: FieldTarget,
  ) {}

  add(piece: string): string {
    const text = this.#held + piece;
    this.#held = '';
    let rest = '';
    for (let at = 0; at < text.length;) {
      const from = at;
      if (this.#place === 'between') {
        at = this.#readTokens(text, from);
        rest += text.slice(from, at);
      } else {
        const { end, isClosed } = endOfText(text, from);
        rest += this.#readText(text.slice(from, end)) + (isClosed ? '"' : '');
        if (isClosed) this.#place = 'between';
        else this.#held = text.slice(end);
        at = isClosed ? end + 1 : text.length;
      }
    }
    return rest;
  }

  finish(): string {
    return this.#held;
  }

  /** Returns the index after the quote that opens the next text. */
  #readTokens(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const token = text.charAt(at);
      if (token === '"') {
        this.#openText();
        return at + 1;
      }
      if (token === '{' || token === '[') this.#depth += 1;
      if (token === '}' || token === ']') this.#depth -= 1;
      if (token.trim() !== '') this.#isNext = token === ':' && this.#depth === 1 && this.#isField();
    }
    return text.length;
  }

  #openText(): void {
    this.#place = this.#isNext ? 'value' : 'text';
    if (this.#isNext) this.target.begin();
    this.#isNext = false;
    this.#latest = '';
  }

  #isField(): boolean {
    return this.#latest.length <= MAX_NAME && unescaped(this.#latest) === this.field;
  }

  /** Returns the part of the rest. An invalid string stays in it, so that the rest is not JSON either. */
  #readText(raw: string): string {
    if (this.#place === 'text') {
      if (this.#latest.length <= MAX_NAME) this.#latest += raw.slice(0, MAX_NAME + 1);
      return raw;
    }
    const value = unescaped(raw);
    if (value === undefined) return raw;
    this.target.add(value);
    return '';
  }
}

/** Index of the quote that closes a JSON string, or of an incomplete escape sequence at the end of the piece. */
function endOfText(text: string, from: number): { readonly end: number; readonly isClosed: boolean } {
  const special = /["\\]/g;
  special.lastIndex = from;
  for (let match = special.exec(text); match !== null; match = special.exec(text)) {
    const at = match.index;
    if (match[0] === '"') return { end: at, isClosed: true };
    const length = text.charAt(at + 1) === 'u' ? 6 : 2;
    if (at + length > text.length) return { end: at, isClosed: false };
    special.lastIndex = at + length;
  }
  return { end: text.length, isClosed: false };
}

const unescaped = (raw: string): string | undefined => parsedJson(`"${raw}"`) as string | undefined;

/** Extracts a field of a form (application/x-www-form-urlencoded). */
export class FormFieldScanner implements FieldScanner {
  #place: 'name' | 'value' | 'other value' = 'name';
  #name = '';
  /** Incomplete percent-encoded byte at the end of the previous piece. */
  #held = '';

  constructor(
    private readonly field: string,
    private readonly target: FieldTarget,
  ) {}

  add(piece: string): string {
    const text = this.#held + piece;
    this.#held = '';
    let rest = '';
    for (let at = 0; at < text.length;) {
      const delimiter = this.#place === 'name' ? /[=&]/g : /&/g;
      delimiter.lastIndex = at;
      const end = delimiter.exec(text)?.index ?? text.length;
      rest += this.#read(text.slice(at, end), end === text.length) + text.charAt(end);
      if (end < text.length) this.#enter(text.charAt(end));
      at = end + 1;
    }
    return rest;
  }

  finish(): string {
    if (this.#held !== '') this.target.add(this.#held);
    return '';
  }

  #read(raw: string, isCut: boolean): string {
    if (this.#place === 'value') {
      const complete = isCut ? raw.replace(/%[0-9a-f]?$/i, '') : raw;
      this.#held = raw.slice(complete.length);
      this.target.add(decoded(complete));
      return '';
    }
    if (this.#place === 'name' && this.#name.length <= MAX_NAME) this.#name += raw.slice(0, MAX_NAME + 1);
    return raw;
  }

  #enter(delimiter: string): void {
    if (delimiter === '&') {
      this.#place = 'name';
      this.#name = '';
      return;
    }
    const isField = decoded(this.#name) === this.field;
    this.#place = isField ? 'value' : 'other value';
    if (isField) this.target.begin();
  }
}

/** Text that is not percent-encoded UTF-8 stays as it is. */
function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}
