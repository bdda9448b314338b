import { malformed } from '../../http/request.js';
import { BOOLEANS, isObject, parsedJson } from '../../platform/validate.js';
import type { Format } from './lines.js';

export type Locale = 'en' | 'pt';

/** A table as a spreadsheet wants it, and the person before it. */
export interface Sheet {
  readonly locale: Locale;
  readonly separator: string;
  /** One for each column; null for the names of the columns. */
  readonly headings: readonly string[] | null;
  /** Words for the values of enumerations, by the values. */
  readonly words: ReadonlyMap<string, string>;
  /** True if the file begins with a byte order mark, without which Excel does not read it as UTF-8. */
  readonly hasMark: boolean;
  /** Name of the file without the day; null for that of the list. */
  readonly fileName: string | null;
}

export const SHEET_PARAMETERS = ['locale', 'separator', 'headings', 'words', 'bom', 'file_name'] as const;

const SEPARATORS = new Map([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
]);
/** Portuguese writes 1,5, so the default separator there is a semicolon. */
const SEPARATOR_OF: Readonly<Record<Locale, string>> = { en: ',', pt: ';' };
const MAX_NAME = 100;
const MAX_WORDS = 500;

/** The parameters of a spreadsheet among the given ones; null for another format. Errors: 400. */
export function sheetOf(format: Format, given: ReadonlyMap<string, string>, columns: number): Sheet | null {
  if (format !== 'spreadsheet') {
    const other = SHEET_PARAMETERS.find((name) => given.has(name));
    if (other === undefined) return null;
    throw malformed(`${other} goes with format=spreadsheet only. Leave it out, or change the format.`);
  }
  const locale = given.get('locale') ?? 'en';
  if (locale !== 'en' && locale !== 'pt') throw malformed('locale must be en or pt.');
  const named = given.get('separator');
  const separator = named === undefined ? SEPARATOR_OF[locale] : SEPARATORS.get(named);
  if (separator === undefined) throw malformed('separator must be comma, semicolon or tab.');
  const hasMark = BOOLEANS.get(given.get('bom')?.toLowerCase() ?? '1');
  if (hasMark === undefined) throw malformed('bom must be 1 or 0.');
  return {
    locale,
    separator,
    headings: headingsIn(given.get('headings'), columns),
    words: wordsIn(given.get('words')),
    hasMark,
    fileName: fileNameIn(given.get('file_name')),
  };
}

function headingsIn(json: string | undefined, columns: number): readonly string[] | null {
  if (json === undefined) return null;
  const value = parsedJson(json);
  if (Array.isArray(value) && value.length === columns && value.every((each) => typeof each === 'string'))
    return value;
  throw malformed(
    `headings must be a JSON list of one text for each of the ${columns} columns, for example ["Number"].`,
  );
}

function wordsIn(json = '{}'): ReadonlyMap<string, string> {
  const value = parsedJson(json);
  const entries = isObject(value) ? Object.entries(value) : null;
  const isOfTexts = entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string');
  if (entries !== null && isOfTexts === true && entries.length <= MAX_WORDS) return new Map(entries);
  throw malformed(
    `words must be a JSON object of at most ${MAX_WORDS} texts, for example {"APPROVED":"Approved"}.`,
  );
}

function fileNameIn(text: string | undefined): string | null {
  // Systems refuse such names of files, or take them for folders.
  const name = text?.replaceAll(/[\s\p{Cc}\p{Cf}"*/:<>?\\|]+/gu, ' ').trim() ?? '';
  if (name.length > MAX_NAME) throw malformed(`file_name must have at most ${MAX_NAME} characters.`);
  return name === '' ? null : name;
}
