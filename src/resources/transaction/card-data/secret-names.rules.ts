import type { Range } from './card-numbers.rules.js';
import { nextHint } from './secret-hints.rules.js';
import { SIGNS } from './views/signs.rules.js';
import { unitsOf, type Read } from './views/view.rules.js';

/** Between words and letters of a name. */
const PART = String.raw`[\s_.\-/\ue000]{0,2}`;
/** Of the private use area. */
const PARTING = '\ue000';
const words = (...each: string[]): string => each.join(PART);

const CODE = [
  words('c', 'v', '[vcn]'),
  words('c', 'a', 'v', '2'),
  words('c', 's', 'c') + String.raw`(?![a-z])`,
  words('i?', 'c', 'v', 'v'),
  words('card', '(?:security|verification|validation)'),
  words('(?:security|verification|validation|safety)', '(?:code|value|number|digits)'),
  words(
    '(?:codigo|cod|numero|valor|digitos?|clave)',
    `(?:d[aeo]l?)?`,
    '(?:seguran[cs]a|seguridad|verifica[cs]i?[oa]n?|validacao|validacion)',
  ),
].map((name) => `(?<![a-z])(?:card)?${name}|(?<=card${PART})${name}`);
const PIN = [
  words('pin', 'bl(?:ock|k)'),
  words('(?:blo(?:co|que)|dados?|datos?)', `(?:d[eo]l?)?`, 'pin') + '(?![a-z])',
  words('pin', '(?:data|code|number|value|enc|encrypted|bytes|hash)'),
  words('encrypted', 'pin'),
  words('(?:pass', '(?:word|wd|code|phrase)|pwd|senha|contrasena|palavra', 'chave)'),
  `(?<![a-z])clave(?!${PART}(?:publica|de${PART}acceso))(?![a-z])`,
  `(?<![a-z])(?:pin|nip)(?![a-z])(?!${PART}pad)`,
];
const TRACK = [
  words('(?:track|trilha|pista|trk|banda)', '(?:n[or]|num|numero|number)?', '[123]') + String.raw`(?!\d)`,
  words('(?:track|trilha|pista)', '(?:one|two|three|um|dois|tres|uno|dos|data|equivalent)'),
  words('(?:dados?|datos?|data)', `(?:d[aeo]l?)?`, '(?:la)?', '(?:track|trilha|pista|banda|tarja)'),
  words('(?:magnetic|mag|mag)', '(?:stripe|strip|track|data)'),
  words('(?:banda|tarja|faixa|cinta)', 'magnetica'),
  '(?<![a-z])(?:trilhas?|magstripe)(?![a-z])',
];
/** Fields of ISO 8583 with tracks (35, 36, 45), the PIN (52) and what a chip says (55). */
const ISO_FIELD = '0{0,2}(?:35|36|45|52|55)';
const ISO_NAME = String.raw`(?<![a-z])(?:(?:bit|fld|field|campo|elemento|data${PART}element|element|df|iso\d{0,4})${PART}|de[_.-]?)${ISO_FIELD}(?!\d)`;
const SECRET = `(?:${[...CODE, ...PIN, ...TRACK, ISO_NAME].join('|')})`;
const SECRET_NAME = new RegExp(SECRET, 'gi');

/** Whether a field of this name holds what must never be kept: a verification code, a PIN, track data. */
export function isSecretName(name: string): boolean {
  return wordsParted(name.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')).search(SECRET_NAME) !== -1;
}

const ISO_VALUE = '[0-9a-f]{14}';
const ISO_NUMBER = new RegExp(`^[fps]?${ISO_FIELD}$`, 'i');
const ISO_CONTENT = new RegExp(`^${ISO_VALUE}`, 'i');

/** Whether a field is named by a mere number, as in maps of ISO 8583 fields, and has what such a field holds. */
export function isIsoSecret(name: string, value: unknown): boolean {
  return (
    ISO_NUMBER.test(name) && typeof value === 'string' && ISO_CONTENT.test(value.replace(/[\s\p{Pd}]/gu, ''))
  );
}

const QUOTE = String.raw`(?:\\{0,4}["'])?`;
/** What follows a name: more of it, as in `pin_length`, or whose it is, as in `PIN do cartao`. */
const REST = String.raw`(?:[\w\ue000-]{0,20}\.?|\s(?:d[aeo]l?|of|n[or]?|num|numero|number)\b[ .]{0,2}(?:(?:la|the)\s)?(?:cart\w{1,5}|tarjeta|card|client\w{0,2}|titular)?)`;
const VALUE_OF_PAIR = String.raw`${QUOTE}[\s,;]{0,3}${QUOTE}(?:value|data|valor|dato|dado|content|conteudo|contenido|text)`;
const ASSIGNED = String.raw`${QUOTE}\s{0,9}[:=>]{1,3}\s{0,9}${QUOTE}`;
const HEX_BYTES = '(?:[0-9a-f]{2} ){2,31}[0-9a-f]{2}';
const VALUE = String.raw`(?<secret>${HEX_BYTES}|[^\s"'\\,;&<>|{}()[\]]+)`;

/** `cvv=123`, `"pin_block": "04…"`, `<track2>…`, `CVC 123`, `"name": "cvv", "value": "123"`. */
const NAMED_SECRET_HERE = new RegExp(
  String.raw`${SECRET}${REST}(?:(?:${VALUE_OF_PAIR})?${ASSIGNED}|\s{1,9}(?:(?:is|es?|eh)\s)?(?=\d{3}))(?!null\b)${VALUE}`,
  'diy',
);
/** `"52": "04A1B2…"`, `<field id="52" value="04A1B2…"`, `F52=04A1B2…`. */
const ISO_SECRET = new RegExp(
  String.raw`(?<![\w.,])[fps]?-?${ISO_FIELD}(?![\w.])(?:${VALUE_OF_PAIR})?${ASSIGNED}(?<secret>${HEX_BYTES}|${ISO_VALUE}[^\s"'\\,;&<>|{}()[\]]*)`,
  'dgi',
);

/** What stands between every name and its value, so that texts without it need no search. */
const SIGN_OF_VALUE = /[:=>]|\s\d{3}/;

/** The values of secrets that a text names. */
export function namedSecrets(view: Read): Range[] {
  if (!view.has(SIGNS.value) || !SIGN_OF_VALUE.test(view.text)) return [];
  const { text, units } = view;
  const ranges = secretsIn(text, ISO_SECRET);
  if (nextHint(units, 0) === -1) return ranges;
  const parted = wordsParted(text);
  const named = namedIn(parted);
  if (parted === text) return [...ranges, ...named];
  const places = placesBeforeParting(parted);
  return [...ranges, ...named.map(([from, to]): Range => [places[from] ?? 0, (places[to - 1] ?? 0) + 1])];
}

const secretsIn = (text: string, form: RegExp): Range[] => Array.from(text.matchAll(form)).flatMap(secretOf);

function secretOf(match: RegExpExecArray): Range[] {
  const place = match.indices?.groups?.secret;
  return place === undefined ? [] : [place];
}

/** More characters than a name has before a hint, and than it has after it with what must not follow. */
const LONGEST_NAME = 64;
/** How many characters after a hint are searched for names: most texts have few hints, some have them everywhere. */
const STEP = 256;

function namedIn(text: string): Range[] {
  const units = unitsOf(text);
  const ranges: Range[] = [];
  let next = 0;
  for (let hint = nextHint(units, next); hint !== -1; hint = nextHint(units, next)) {
    const end = hint + STEP;
    for (const name of namesIn(text, Math.max(next, hint - LONGEST_NAME), end)) {
      if (name < next) continue;
      NAMED_SECRET_HERE.lastIndex = name;
      const match = NAMED_SECRET_HERE.exec(text);
      if (match === null) continue;
      ranges.push(...secretOf(match));
      next = NAMED_SECRET_HERE.lastIndex;
    }
    next = Math.max(next, end - LONGEST_NAME);
  }
  return ranges;
}

/** Where names of secrets begin in a part of a text; near its end also what only looks like one. */
function namesIn(text: string, from: number, end: number): number[] {
  const first = Math.max(0, from - LONGEST_NAME);
  const part = text.slice(first, end);
  const names: number[] = [];
  SECRET_NAME.lastIndex = from - first;
  for (let match = SECRET_NAME.exec(part); match !== null; match = SECRET_NAME.exec(part)) {
    names.push(first + match.index);
    SECRET_NAME.lastIndex = match.index + 1;
  }
  return names;
}

/** Parts the words that capitals begin, so that `cardPin` has the word `pin`. */
const wordsParted = (text: string): string => text.replace(/(?<=[a-z])(?=[A-Z])/g, PARTING);

/** Where each character stood before the words were parted; texts have no such character, since it is no text. */
function placesBeforeParting(parted: string): Int32Array {
  const places = new Int32Array(parted.length);
  let place = 0;
  for (let at = 0; at < parted.length; at += 1) {
    places[at] = place;
    if (parted[at] !== PARTING) place += 1;
  }
  return places;
}
