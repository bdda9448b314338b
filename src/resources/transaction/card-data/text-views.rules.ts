/** A text, or what a part of it says once it is decoded; each character knows where it stands in the original. */
export interface View {
  readonly text: string;
  /** Where the source of each UTF-16 unit begins and ends (excluded); absent if the view is the original text. */
  readonly places?: { readonly from: Int32Array; readonly to: Int32Array };
  /** Whether a part of the original stands for other characters than those it has. */
  readonly isEncoded: boolean;
}

/** Encodings within encodings, such as Base64 of percent-encoded text. */
const DEEPEST = 3;

/** The text as it stands, and each reading of its encoded parts: all views in which card data could be seen. */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [];
  let level: readonly View[] = [plainView({ text, isEncoded: false })];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    views.push(...level);
    if (depth < DEEPEST)
      level = level.flatMap((view) => [...unescaped(view), ...fromHex(view), ...fromBase64(view)]);
  }
  return views;
}

const NOT_PLAIN = /[^\t\n\r -~]/;
/** Joiners, marks, soft hyphens, control characters and fillers: a reader does not see them between two digits. */
const INVISIBLE = /^(?![\t\n\r])[\p{Cc}\p{Cf}\p{M}\u115f\u1160\u3164\uffa0\ufffd]$/u;
const DIGIT = /^\p{Nd}$/u;

/** Compatible forms as ASCII (full-width digits, letters with accents), without what cannot be seen. */
export function plainView(view: View): View {
  if (!NOT_PLAIN.test(view.text)) return view;
  const built = new ViewBuilder(view, view.text.length, view.isEncoded);
  let at = 0;
  for (const character of view.text) {
    const end = at + character.length;
    if (character >= ' ' && character <= '~') built.add(character, at, end);
    else for (const plain of plainForm(character)) built.add(plain, at, end);
    at = end;
  }
  return built.view();
}

const plainForms = new Map<string, string>();

function plainForm(character: string): string {
  let plain = plainForms.get(character);
  if (plain === undefined) {
    plain = DIGIT.test(character) ? String(digitValue(character)) : '';
    if (plain === '') {
      for (const part of character.normalize('NFKD')) if (!INVISIBLE.test(part)) plain += part;
    }
    if (plainForms.size < 10_000) plainForms.set(character, plain);
  }
  return plain;
}

/** The decimal digits of each script stand together, from 0 to 9. */
function digitValue(character: string): number {
  const compatible = character.normalize('NFKC');
  if (/^\d$/.test(compatible)) return Number(compatible);
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

const ESCAPE_HINT = /%[0-9a-f]{2}|\\[ux][0-9a-f]{2}|&#/i;
/** Percent-encoding (of bytes in UTF-8), escapes of JSON and programs, entities of XML. */
const ESCAPES =
  /(?<bytes>(?:%[0-9a-f]{2})+)|\\u(?<unit>[0-9a-f]{4})|\\x(?<byte>[0-9a-f]{2})|&#(?:x(?<hex>[0-9a-f]{1,6})|(?<decimal>\d{1,7}));/gi;

function unescaped(view: View): View[] {
  if (!ESCAPE_HINT.test(view.text)) return [];
  const built = new ViewBuilder(view, view.text.length);
  let end = 0;
  for (const match of view.text.matchAll(ESCAPES)) {
    built.copy(end, match.index);
    end = match.index + match[0].length;
    const { bytes, unit, byte, hex, decimal } = match.groups ?? {};
    if (bytes === undefined) {
      const code = decimal === undefined ? parseInt(unit ?? byte ?? hex ?? '0', 16) : Number(decimal);
      if (code <= 0x10ffff) built.add(String.fromCodePoint(code), match.index, end);
      continue;
    }
    for (const { text, from, to } of charactersOf(Buffer.from(bytes.replaceAll('%', ''), 'hex'))) {
      built.add(text, match.index + 3 * from, match.index + 3 * to);
    }
  }
  built.copy(end, view.text.length);
  return [plainView(built.view())];
}

interface Character {
  readonly text: string;
  /** Its bytes, `to` excluded. */
  readonly from: number;
  readonly to: number;
}

/** Decoding replaces what is no UTF-8; at the end of the first bytes, a character may be cut. */
const isUtf8 = (bytes: Buffer): boolean =>
  !bytes.toString('utf8', 0, 64).slice(0, -1).includes('\ufffd') &&
  !bytes.toString('utf8').includes('\ufffd');

function charactersOf(bytes: Buffer): Character[] {
  if (!isUtf8(bytes))
    return Array.from(bytes, (byte, at) => ({ text: String.fromCharCode(byte), from: at, to: at + 1 }));
  let at = 0;
  return Array.from(bytes.toString('utf8'), (text) => {
    const from = at;
    at += Buffer.byteLength(text);
    return { text, from, to: at };
  });
}

const HEX_RUN = /[0-9a-f]{2}(?:[\s:-]?[0-9a-f]{2}){5,}[0-9a-f]?/gi;

/** Fewer hold no card number; they can hold a name and its value, with one of `:=>` between. */
const FEWEST_HEX_DIGITS = 24;
const HEX_ASSIGNMENT = /3[ade]/i;

/** What runs of hex digits say as ASCII, UTF-8 and EBCDIC, whichever digit a byte begins with. */
function fromHex(view: View): View[] {
  return Array.from(view.text.matchAll(HEX_RUN)).flatMap((run) => {
    const at = placesIn(run[0], run.index, isHexDigit);
    const digits = run[0].replace(/[\s:-]/g, '');
    if (digits.length < FEWEST_HEX_DIGITS && !HEX_ASSIGNMENT.test(digits)) return [];
    return [0, 1].flatMap((skipped) => {
      const bytes = Buffer.from(digits.slice(skipped), 'hex');
      const first = (byte: number): number => at[skipped + 2 * byte] ?? 0;
      const last = (byte: number): number => at[skipped + 2 * byte + 1] ?? 0;
      return [...byteViews(view, bytes, first, last), ...ebcdicViews(view, bytes, first, last)];
    });
  });
}

const BASE64_RUN = /[a-z0-9+/_-](?:[\r\n]{0,2}[a-z0-9+/_-]){8,}/gi;

/** What runs of Base64 say, whichever character they begin with. */
function fromBase64(view: View): View[] {
  return Array.from(view.text.matchAll(BASE64_RUN)).flatMap((run) => {
    const at = placesIn(run[0], run.index, isNoLineBreak);
    const letters = run[0].replace(/[\r\n]/g, '');
    return [0, 1, 2, 3].flatMap((skipped) => {
      const bytes = Buffer.from(letters.slice(skipped), 'base64');
      const first = (byte: number): number => at[skipped + Math.floor((byte * 8) / 6)] ?? 0;
      const last = (byte: number): number => at[skipped + Math.floor((byte * 8 + 7) / 6)] ?? 0;
      return byteViews(view, bytes, first, last);
    });
  });
}

const isHexDigit = (code: number): boolean => code !== 45 && code !== 58 && code > 32 && code < 127;
const isNoLineBreak = (code: number): boolean => code !== 10 && code !== 13;

/** Where the characters of a run stand, without those that only part it. */
function placesIn(run: string, start: number, isPart: (code: number) => boolean): Int32Array {
  const places = new Int32Array(run.length);
  let count = 0;
  for (let at = 0; at < run.length; at += 1) if (isPart(run.charCodeAt(at))) places[count++] = start + at;
  return places.subarray(0, count);
}

/** Where the first or the last character stands that a byte is written with. */
type PlaceOfByte = (byte: number) => number;

/** Fewer characters hold neither a card number nor a name and its value. */
const FEWEST_BYTES = 5;
const NOT_ASCII = /[^\0-\x7f]/;
/** In bytes that are no text, a card number or the name of a secret. */
const TEXT_IN_BYTES = /\d(?:[^0-9a-z]{0,6}\d){12}|cv[cv]|pin|track|trilha|senha/i;

function byteViews(view: View, bytes: Buffer, first: PlaceOfByte, last: PlaceOfByte): View[] {
  if (bytes.length < FEWEST_BYTES) return [];
  const text = bytes.toString('latin1');
  const isText = isUtf8(bytes);
  if (!isText && !TEXT_IN_BYTES.test(text)) return [];
  if (!isText || !NOT_ASCII.test(text)) return [plainView(viewOfBytes(view, text, first, last))];
  const built = new ViewBuilder(view, bytes.length);
  for (const { text: character, from, to } of charactersOf(bytes)) {
    built.add(character, first(from), last(to - 1) + 1);
  }
  return [plainView(built.view())];
}

/** A view with one character for each byte. */
function viewOfBytes({ places }: View, text: string, first: PlaceOfByte, last: PlaceOfByte): View {
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  for (let byte = 0; byte < text.length; byte += 1) {
    const [start, end] = [first(byte), last(byte)];
    from[byte] = places === undefined ? start : (places.from[start] ?? 0);
    to[byte] = places === undefined ? end + 1 : (places.to[end] ?? 0);
  }
  return { text, places: { from, to }, isEncoded: true };
}

const EBCDIC: Readonly<Record<string, string>> = { '\x40': ' ', '\x60': '-', '\x7e': '=', '\xc4': 'D' };
const EBCDIC_NUMBER = /[\xf0-\xf9](?:[^\xf0-\xf9]{0,4}[\xf0-\xf9]){11}/;

/** Digits and what can stand between them; nothing else matters here. */
function ebcdicViews(view: View, bytes: Buffer, first: PlaceOfByte, last: PlaceOfByte): View[] {
  const codes = bytes.toString('latin1');
  if (!EBCDIC_NUMBER.test(codes)) return [];
  const text = codes.replace(/[^]/g, (code) =>
    code >= '\xf0' && code <= '\xf9' ? String(code.charCodeAt(0) - 0xf0) : (EBCDIC[code] ?? 'x'),
  );
  return [viewOfBytes(view, text, first, last)];
}

/** Collects a view of another view; places are those of the original text. */
class ViewBuilder {
  readonly #source: View;
  readonly #isEncoded: boolean;
  readonly #texts: string[] = [];
  #from: Int32Array;
  #to: Int32Array;
  #length = 0;

  constructor(source: View, length: number, isEncoded = true) {
    this.#source = source;
    this.#isEncoded = isEncoded;
    this.#from = new Int32Array(length);
    this.#to = new Int32Array(length);
  }

  add(text: string, from: number, to: number): void {
    const { places } = this.#source;
    const [start, end] = [places?.from[from] ?? from, places?.to[to - 1] ?? to];
    this.#texts.push(text);
    const length = this.#length + text.length;
    if (length > this.#from.length) this.#grow();
    this.#from.fill(start, this.#length, length);
    this.#to.fill(end, this.#length, length);
    this.#length = length;
  }

  copy(from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.add(this.#source.text.charAt(at), at, at + 1);
  }

  view(): View {
    const places = { from: this.#from.subarray(0, this.#length), to: this.#to.subarray(0, this.#length) };
    return { text: this.#texts.join(''), places, isEncoded: this.#isEncoded };
  }

  #grow(): void {
    const longer = (short: Int32Array): Int32Array => {
      const long = new Int32Array(short.length * 2 + 64);
      long.set(short);
      return long;
    };
    this.#from = longer(this.#from);
    this.#to = longer(this.#to);
  }
}
