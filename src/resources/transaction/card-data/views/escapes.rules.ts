import { hexValue, NO_DIGIT } from './encoded-runs.rules.js';
import { plainView } from './plain-view.rules.js';
import { SIGNS } from './signs.rules.js';
import { codeAt, lengthAt } from './utf8.rules.js';
import { ViewBuilder, type View } from './view.rules.js';

const ESCAPE_HINT = /%[0-9a-f]{2}|\\[ux][0-9a-f]{2}|&#/i;
const [PERCENT, BACKSLASH, AMPERSAND] = ['%', '\\', '&'].map((character) => character.charCodeAt(0));

/** The text without percent-encoding (of bytes in UTF-8), escapes of JSON and programs, and entities of XML. */
export function unescaped(view: View): View[] {
  const { units } = view;
  if (!view.has(SIGNS.escape) || !ESCAPE_HINT.test(view.text)) return [];
  const built = new ViewBuilder(view, units.length);
  const bytes = new Uint8Array(units.length / 3);
  for (let at = 0; at < units.length;) {
    const unit = units[at] ?? 0;
    if (unit === PERCENT) {
      const count = percentEncoded(units, at, bytes);
      if (count === 0) built.add(unit, at, at + 1);
      else addBytes(built, bytes.subarray(0, count), at);
      at += Math.max(3 * count, 1);
    } else {
      const escape = unit === BACKSLASH || unit === AMPERSAND ? escapeAt(view, at) : undefined;
      if (escape === undefined) built.add(unit, at, at + 1);
      else if (escape.code <= 0x10ffff) built.addCode(escape.code, at, escape.end);
      at = escape?.end ?? at + 1;
    }
  }
  return [plainView(built.view())];
}

/** The number that hex digits make; below 0 if there are fewer. */
function hexAt(units: Uint16Array, from: number, digits: number): number {
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const digit = hexValue(units, at);
    if (digit === NO_DIGIT) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Reads bytes that are percent-encoded, one after another; returns how many there are. */
function percentEncoded(units: Uint16Array, from: number, bytes: Uint8Array): number {
  let count = 0;
  for (let at = from; at < units.length && units[at] === PERCENT; at += 3) {
    const byte = hexAt(units, at + 1, 2);
    if (byte < 0) break;
    bytes[count] = byte;
    count += 1;
  }
  return count;
}

const ENTITY = /&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/iy;

function escapeAt(view: View, at: number): { readonly code: number; readonly end: number } | undefined {
  const { text, units } = view;
  if (units[at] === AMPERSAND) {
    ENTITY.lastIndex = at;
    const [whole, hex = '', decimal] = ENTITY.exec(text) ?? [];
    const code = decimal === undefined ? parseInt(hex, 16) : Number(decimal);
    return whole === undefined ? undefined : { code, end: at + whole.length };
  }
  const kind = text.charAt(at + 1).toLowerCase();
  const digits = kind === 'u' ? 4 : 2;
  const code = kind === 'u' || kind === 'x' ? hexAt(units, at + 2, digits) : -1;
  return code < 0 ? undefined : { code, end: at + 2 + digits };
}

/** Bytes of UTF-8, each written with three characters; a byte that is no UTF-8 stands for itself. */
function addBytes(built: ViewBuilder, bytes: Uint8Array, place: number): void {
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at, bytes.length);
    built.addCode(codeAt(bytes, at, length), place + 3 * at, place + 3 * (at + length));
    at += length;
  }
}
