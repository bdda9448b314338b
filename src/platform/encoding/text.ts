import { z } from 'zod';

import type { RuleMessage } from '../rules.js';

/** Control, format and surrogate characters, line separators, and letters without a visible form. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/u;
const UNSTORABLE = /[\0\p{Cs}]/u;
const codePoints = (text: string): number => Array.from(text).length;

/** Longer than any name. To compose a long run of combining marks takes quadratic time. */
const MAX_COMPOSED = 2048;

/** NFC form, so that a name has one spelling. Longer text than any name is returned unchanged. */
export function normalized(text: string): string {
  return text.length > MAX_COMPOSED ? text : text.normalize('NFC');
}

/** False for text that cannot be the name of a record, for example text with a control character. */
export function isNameLike(text: string): boolean {
  return !INVISIBLE.test(text);
}

export const NOT_STORABLE = 'must not contain NUL or unpaired surrogates';

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** A refinement that reports the message returned by `problemOf`; undefined accepts the text. */
function refusedBy(problemOf: (text: string) => RuleMessage | undefined) {
  return (text: string, context: z.RefinementCtx): void => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

/** A name, number or serial number: NFC, 1 to `max` printable characters, no space at either end. */
export function printableName(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ minLength: 1, maxLength: max })
    .transform(normalized)
    .superRefine(refusedBy((text) => problemOfName(text, max)));
}

function problemOfName(text: string, max: number): RuleMessage | undefined {
  if (text.length === 0) return 'must not be empty';
  if (codePoints(text) > max) return `must have at most ${max} characters`;
  if (INVISIBLE.test(text)) return 'must not contain control or invisible characters';
  if (text.trim() !== text) return 'must not begin or end with a space';
  // HTTP clients remove these two path segments before they send a URL.
  if (text === '.' || text === '..') return 'must not be "." or ".."';
  return undefined;
}

/** Text of up to `max` characters, line breaks included; NUL and unpaired surrogates are refused. */
export function freeText(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ maxLength: max })
    .superRefine(refusedBy((text) => problemOfText(text, codePoints(text), max, 'characters')));
}

/** Text of up to `max` bytes of UTF-8. */
export function boundedBytes(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ description: `At most ${max} bytes of UTF-8.` })
    .superRefine(refusedBy((text) => problemOfText(text, Buffer.byteLength(text), max, 'bytes')));
}

function problemOfText(
  text: string,
  size: number,
  max: number,
  unit: 'characters' | 'bytes',
): RuleMessage | undefined {
  if (size > max) return `must have at most ${max} ${unit}`;
  return isStorable(text) ? undefined : NOT_STORABLE;
}

/** Type of `camelCase(name)`: `'serialNumber'` for `'serial_number'`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Converts `serial_number` to `serialNumber`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts `serialNumber` to `serial_number`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Maximum bytes passed to a connection at a time. The next ones follow when the client has read these. */
export const PIECE_BYTES = 64 * 1024;

/** The bytes of a text, in buffers of about `PIECE_BYTES`, so that each can be dropped when it is sent. */
export function bufferPieces(text: string): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const isPair = /[\uD800-\uDBFF]/.test(text.charAt(start + PIECE_BYTES - 1));
    const end = start + PIECE_BYTES - (isPair ? 1 : 0);
    pieces.push(Buffer.from(text.slice(start, end)));
    start = end;
  }
  return pieces;
}
