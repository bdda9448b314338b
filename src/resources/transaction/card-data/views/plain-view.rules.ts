import { codePointAt, LEFT_OUT, ViewBuilder, type View } from './view.rules.js';

/** Joiners, marks, soft hyphens, control characters and fillers: a reader does not see them between two digits. */
const INVISIBLE = /^(?![\t\n\r])[\p{Cc}\p{Cf}\p{M}\u115f\u1160\u3164\uffa0\ufffd]$/u;
const DIGIT = /^\p{Nd}$/u;

/** Compatible forms as ASCII (full-width digits, letters with accents), without what cannot be seen. */
export function plainView(view: View): View {
  const { units } = view;
  if (isPlain(units)) return view;
  const built = new ViewBuilder(view, units.length, view.isEncoded);
  for (let at = 0; at < units.length;) {
    const code = codePointAt(units, at);
    const end = at + (code > 0xffff ? 2 : 1);
    addPlain(built, code, at, end);
    at = end;
  }
  return built.view();
}

/** Adds the plain form of a character. */
export function addPlain(built: ViewBuilder, code: number, from: number, to: number): void {
  if (isPlainUnit(code)) {
    built.add(code, from, to);
    return;
  }
  const single = code > 0xffff ? NOT_KNOWN : singleForm(code);
  if (single >= 0) built.add(single, from, to);
  else if (single === NOT_KNOWN) built.addText(plainForm(String.fromCodePoint(code)), from, to);
}

/** Of ASCII what can be seen, and the ends of lines. */
const isPlainUnit = (unit: number): boolean =>
  (unit >= 0x20 && unit <= 0x7e) || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** By byte: the same if it is a plain unit, otherwise 0. */
export const PLAIN_UNITS = Uint16Array.from({ length: 256 }, (_, byte) => (isPlainUnit(byte) ? byte : 0));

function isPlain(units: Uint16Array): boolean {
  const { length } = units;
  for (let at = 0; at < length; at += 1) if (!isPlainUnit(units[at] ?? 0)) return false;
  return true;
}

const NOT_KNOWN = -1;
const NONE = -2;
const NOT_LOOKED_UP = 0;
/** By UTF-16 unit: the one unit of its plain form, `NOT_KNOWN` if the form has several, `NONE` if it has none. */
const singleForms = new Int32Array(0x1_0000);

function singleForm(unit: number): number {
  const known = singleForms[unit] ?? NOT_LOOKED_UP;
  if (known !== NOT_LOOKED_UP) return known;
  const form = plainForm(String.fromCharCode(unit));
  if (form === '') return (singleForms[unit] = NONE);
  return (singleForms[unit] = form.length === 1 ? form.charCodeAt(0) : NOT_KNOWN);
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

/** By byte that is a character by itself: the one unit of its plain form, `LEFT_OUT` if it has none, 0 if it has several. */
export const PLAIN_FORMS = Uint16Array.from({ length: 256 }, (_, byte) => {
  if (isPlainUnit(byte)) return byte;
  const form = plainForm(String.fromCharCode(byte));
  if (form === '') return LEFT_OUT;
  return form.length === 1 ? form.charCodeAt(0) : 0;
});

/** The decimal digits of each script stand together, from 0 to 9. */
function digitValue(character: string): number {
  const compatible = character.normalize('NFKC');
  if (/^\d$/.test(compatible)) return Number(compatible);
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}
