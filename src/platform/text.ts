import { z } from 'zod';

/** Control, format and surrogate characters, separators of lines, and the letters that show as nothing. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/u;
const UNSTORABLE = /[\0\p{Cs}]/u;
const codePoints = (text: string): number => Array.from(text).length;

/** More than any name has; composing takes quadratic time on a long run of combining marks. */
const MAX_COMPOSED = 2048;

/** NFC, so that a name has one spelling; what is too long for a name stays as it is. */
export function normalized(text: string): string {
  return text.length > MAX_COMPOSED ? text : text.normalize('NFC');
}

/** Whether a text that a path or filter names could be the name of a record at all. */
export function isNameLike(text: string): boolean {
  return !INVISIBLE.test(text);
}

/** A name, number or serial: NFC, 1 to `max` printable characters, no space at the ends. */
export function printableName(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ minLength: 1, maxLength: max })
    .transform(normalized)
    .superRefine((text, context) => {
      const problem = problemOfName(text, max);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
}

function problemOfName(text: string, max: number): string | undefined {
  if (text.length === 0) return 'must not be empty';
  if (codePoints(text) > max) return `must have at most ${max} characters`;
  if (INVISIBLE.test(text)) return 'must not contain control or invisible characters';
  if (text.trim() !== text) return 'must not begin or end with a space';
  // Clients take these two out of a path before they send it.
  if (text === '.' || text === '..') return 'must not be a dot or two';
  return undefined;
}

/** Any text up to `max` characters, lines included; only NUL and broken surrogates are refused. */
export function freeText(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ maxLength: max })
    .superRefine((text, context) => {
      if (codePoints(text) > max) {
        context.addIssue({ code: 'custom', message: `must have at most ${max} characters` });
      } else if (UNSTORABLE.test(text)) {
        context.addIssue({ code: 'custom', message: 'must not contain NUL or broken characters' });
      }
    });
}

/** Any text up to `max` bytes of UTF-8. */
export function boundedBytes(max: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ description: `At most ${max} bytes of UTF-8.` })
    .superRefine((text, context) => {
      if (Buffer.byteLength(text) > max) {
        context.addIssue({ code: 'custom', message: `must have at most ${max} bytes` });
      } else if (UNSTORABLE.test(text)) {
        context.addIssue({ code: 'custom', message: 'must not contain NUL or broken characters' });
      }
    });
}

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
