/** Patterns for text comparisons with the case of letters aside, alike on both databases: neither folds all of Unicode. */
import { sql } from 'kysely';

import { folded } from '../../platform/card-data/text-search.js';
import { isCased, LAST_CASED } from '../../schema/search.js';
import { portable, type Sql } from '../storage.js';

/** Parts of a text that a comparison looks at: all of it, its beginning, or any. */
export type TextPart = 'all' | 'start' | 'any';

/** The letters with the same upper case, by each of them: `kK` and the Kelvin sign by `k`. */
const forms = new Map<string, string>();
/** The letters with the same form without case and accents, by each of them: `aAáÁ` and others by `a`. */
const bare = new Map<string, string>();

/** The form of one character; a letter whose other form has several, as `SS` of `ß`, keeps its own. */
function single(letter: string, form: string): string {
  return form.length > (form.codePointAt(0) === form.charCodeAt(0) ? 1 : 2) ? letter : form;
}

const upperOf = (letter: string): string => {
  const lower = single(letter, letter.toLowerCase());
  return single(lower, lower.toUpperCase());
};

/** All forms of a letter; nothing for a character without case. */
function formsOf(character: string, among: Map<string, string>): string | undefined {
  if (among.size === 0) {
    const form = among === bare ? folded : upperOf;
    const byForm = new Map<string, string[]>();
    for (let code = 0; code <= LAST_CASED; code += 1) {
      const letter = String.fromCodePoint(code);
      if (!isCased.test(letter)) continue;
      byForm.set(form(letter), [...(byForm.get(form(letter)) ?? []), letter]);
    }
    for (const letters of byForm.values()) for (const each of letters) among.set(each, letters.join(''));
  }
  return among.get(character);
}

/** The text as a pattern in which letters match in all of their forms, and characters that `special` matches only themselves. */
function pattern(
  text: string,
  among: Map<string, string>,
  special: RegExp,
  escaped: (character: string) => string,
): string {
  return Array.from(text, (character) => {
    const letters = formsOf(character, among);
    if (letters !== undefined) return `[${letters}]`;
    return special.test(character) ? escaped(character) : character;
  }).join('');
}

/** True if a part of a text column equals `text` but for the case of letters. Reads the column of each row. */
export const equalsIgnoringCase = (column: Sql, text: string, part: TextPart): Sql =>
  compared(column, text, part, forms);

/** True if a text column contains `text` but for case and accents. Reads the column of each row. */
export const containsFolded = (column: Sql, text: string): Sql => compared(column, text, 'any', bare);

function compared(column: Sql, text: string, part: TextPart, among: Map<string, string>): Sql {
  // PostgreSQL can hold neither NUL nor halves of pairs.
  if (text.includes('\0') || !text.isWellFormed()) return sql`1 = 0`;
  const glob = pattern(text, among, /[*?[]/, (character) => `[${character}]`);
  const regex = pattern(text, among, /[\^$.*+?()[\]{}|\\]/, (character) => `\\${character}`);
  const globbed = { all: glob, start: `${glob}*`, any: `*${glob}*` }[part];
  const matched = { all: `^${regex}$`, start: `^${regex}`, any: regex }[part];
  return portable(sql`${column} glob ${globbed}`, sql`${column} ~ ${matched}`);
}
