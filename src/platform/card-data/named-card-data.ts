/** Range of characters to hide, `to` excluded. */
export type Range = readonly [from: number, to: number];

/** Kind of card data by the name of a field. `number`: its middle digits are hidden; `secret`: everything is. */
export type NamedField = 'number' | 'secret';

const PART = String.raw`[\s_.-]?`;
const words = (...each: string[]): string => each.join(PART);
const anyOf = (...each: string[]): string => `(?:${each.join('|')})`;

const CARD = anyOf('card', 'cart[aã]o', 'tarjeta', 'cc');
const NUMBER = anyOf('number', 'numero', 'número', 'num', 'nro', 'nr', 'no');
/** Names of ISO 8583 fields, for example DE52, field 052, bit-52 and F52; `de 52` is Portuguese for "of 52". */
const ISO = String.raw`(?:de[_.-]?|(?:df|bit|fld|field|campo|elemento|data[\s_]?element|[fps])[\s_.-]{0,2})0{0,2}`;
const NUMBER_NAME = anyOf(
  words('pan', `${NUMBER}?`),
  words(CARD, NUMBER),
  words(NUMBER, '(?:d[aeo]l?)?', '(?:la)?', CARD),
  words('primary', 'account', 'number'),
  `${ISO}2`,
);
const SECRET_NAME = anyOf(
  'i?c[va][vcn]2?',
  'csc',
  words('(?:cvv|cvc|cvv2|cvc2)', '(?:code|value|number)'),
  words('(?:security|verification)', '(?:code|value|number)'),
  words('c[oó]d(?:igo)?', '(?:de)?', '(?:seguran[cç]a|seguridad|verifica[cç][aãií][oó]n?)'),
  words('pin', '(?:block|blk|data|code|number)?'),
  words('(?:bloco|bloque)', '(?:de)?', 'pin'),
  words('encrypted', 'pin'),
  'senha',
  words(
    '(?:track|trilha|pista|trk)',
    '(?:[123]|one|two|three|data)?',
    '(?:data|equivalent(?:[\\s_]?data)?)?',
  ),
  words('mag(?:netic)?', 'stripe', '(?:data)?'),
  `${ISO}(?:35|36|45|52|55)`,
);
const NAME = `(?:(?<number>${NUMBER_NAME})|(?<secret>${SECRET_NAME}))(?![a-z0-9])`;
const WHOLE_NAME = new RegExp(`${NAME}$`, 'i');

/** Names that also have other meanings: their values are secrets only if they contain a digit. */
const NEEDS_DIGIT = /^(?:pin|track|trilha|pista|trk|senha)$/i;
const ISO_SECRET = /^(?:35|36|45|52|55)$/;
const ISO_VALUE = /^[0-9a-f]{14}/i;

/** Kind of card data in a field of a JSON object, by its name and value. Undefined if there is none. */
export function namedField(name: string, value: unknown): NamedField | undefined {
  if (ISO_SECRET.test(name)) return typeof value === 'string' && ISO_VALUE.test(value) ? 'secret' : undefined;
  const match = WHOLE_NAME.exec(name);
  if (match === null || !isWordAt(name, match.index)) return undefined;
  if (match.groups?.number !== undefined) return 'number';
  return NEEDS_DIGIT.test(match[0]) && typeof value === 'string' && !/\d/.test(value) ? undefined : 'secret';
}

/** True if a word begins at an index: `pin` in `card_pin` and `cardPin`, not in `opinion`. */
const isWordAt = (text: string, at: number): boolean =>
  !/[A-Za-z][a-z]|[A-Z]{2}/.test(text.slice(at - 1, at + 1));

const QUOTE = String.raw`(?:\\{0,4}["'])?`;
const ASSIGNED = anyOf(
  String.raw`${QUOTE}\s{0,9}[:=>]{1,2}\s{0,9}${QUOTE}`,
  // {"name": "cvv", "value": "123"}, <field id="52" value="04A1">
  String.raw`${QUOTE}[\s,]{0,3}${QUOTE}(?:value|valor)${QUOTE}\s{0,3}[:=]\s{0,3}${QUOTE}`,
);
const HEX_BYTES = '(?:[0-9a-f]{2} ){2,40}[0-9a-f]{2}';
const VALUE = String.raw`(?!(?:null|true|false|none)\b)(?<value>${HEX_BYTES}|\d(?:[ .-]?\d){12,18}(?!\d)|[^\s"'\\,;&<>|{}()[\]]+)`;
const NAMED = new RegExp(`${NAME}(?:${ASSIGNED}|\\s{1,3}(?=\\d{3}))${VALUE}`, 'gi');
const ISO_NAMED = new RegExp(
  String.raw`(?:35|36|45|52|55)(?<![\w.,]..)${ASSIGNED}(?<value>${HEX_BYTES}|[0-9a-f]{14,})`,
  'gi',
);
/** Ranges of the values of named fields in a text: `cvv=123`, `"pin_block":"04A1"`, `<pan>4111</pan>`, `CVV 123`. */
export function namedCardData(text: string): Range[] {
  if (!/[:=>]|\s\d{3}/.test(text)) return [];
  const ranges: Range[] = [];
  for (const match of text.matchAll(ISO_NAMED)) ranges.push(placeOfValue(match));
  for (const match of text.matchAll(NAMED)) {
    const { number, secret = '', value = '' } = match.groups ?? {};
    const place = placeOfValue(match);
    if (!isWordAt(text, match.index)) continue;
    if (number !== undefined) ranges.push(...middleOfValue(value, place[0]));
    else if (/\d/.test(value) || !NEEDS_DIGIT.test(secret)) ranges.push(place);
  }
  return ranges;
}

/** Range of the value, which is the end of the match. */
function placeOfValue({ 0: whole, index, groups }: RegExpExecArray): Range {
  const to = index + whole.length;
  return [to - (groups?.value?.length ?? 0), to];
}

/** Range of all digits but the first 6 and the last 4. Empty unless the value has 13 to 19 digits. */
export function middleOfValue(value: string, from = 0): Range[] {
  const places = Array.from(value.matchAll(/\d/g), ({ index }) => from + index);
  const [first, last] = [places[6], places.at(-5)];
  if (first === undefined || last === undefined || places.length < 13 || places.length > 19) return [];
  return [[first, last + 1]];
}
