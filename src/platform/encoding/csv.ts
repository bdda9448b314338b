import type { Info, Options } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';

import { BOOLEANS, normalized } from '../validate.js';
import { MAX_ROW_BYTES } from './json.js';

/** Spreadsheets take a text with such a beginning for a formula; the last four are wide forms of the first. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Programs that skip lines which begin with `#` take this sign in any plain cell for their beginning. */
const QUOTED = /[",;\r\n\t#]|^\s|\s$/;

/** A cell of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Spreadsheets make numbers or dates of such texts: 00123 would lose its zeros. */
const LIKE_NUMBER = /^\d[\d.,:/eE+ -]*%?$/;

/** A cell of a text that stays one in spreadsheets: `="00123"` where they would make something else of it. */
export const textCell = (text: string): string => (LIKE_NUMBER.test(text) ? `"=""${text}"""` : cell(text));

/** The text of which `cell` or `textCell` made a cell. */
function unescaped(text: string): string {
  if (text.startsWith("'") && FORMULA.test(text)) return text.slice(1);
  const inner = text.startsWith('="') && text.endsWith('"') ? text.slice(2, -1) : '';
  return LIKE_NUMBER.test(inner) ? inner : text;
}

/** Beginning of the last line of an export with totals, which is no record. */
const TOTALS = '# {"totals":';

/** A file that is no CSV, and where: for example `Invalid Closing Quote: … at line 3`. */
export class CsvProblem extends Error {
  override readonly name = 'CsvProblem';
}

const PARSING: Options = {
  bom: true,
  comment: TOTALS,
  comment_no_infix: true,
  info: true,
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: MAX_ROW_BYTES,
  record_delimiter: ['\r\n', '\n'],
};

export interface CsvRecord {
  /** Line in which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The cells as the file has them, with the apostrophe before what would be a formula. */
  readonly written: readonly string[];
}

/**
 * The records of a CSV file (RFC 4180, UTF-8) with commas, semicolons or tabs. Records without any value are skipped.
 * Errors: `CsvProblem` for wrong quotes, and bytes that are no UTF-8.
 */
export async function* csvRecords(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const texts = textOf(pieces);
  let first = '';
  // A longer first line is refused as any row is.
  while (!first.includes('\n') && first.length <= MAX_ROW_BYTES) {
    const next = await texts.next();
    if (next.done === true) break;
    first += next.value;
  }
  const { separator, text, leftOut } = beginOfTable(first);
  // Loaded when it is needed: a server starts without it.
  const { CsvError, parse } = await import('csv-parse');
  const parser = parse({ ...PARSING, delimiter: separator });
  async function* all(): AsyncGenerator<string> {
    yield text;
    yield* texts;
  }
  // The loop below gets every error from the parser, to which the pipeline passes those of the file.
  pipeline(Readable.from(all()), parser, () => undefined);
  let extraLines = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      // `info.lines` is the line where the record ends, but it counts \r\n in quotes as two lines.
      const breaks = record.join().match(/[\r\n]/g)?.length ?? 0;
      // A spreadsheet has put the line of totals in quotes.
      if (record[0]?.startsWith(TOTALS) !== true)
        yield {
          line: info.lines + leftOut - extraLines - breaks,
          cells: record.map(unescaped),
          written: record,
        };
      extraLines += record.join().match(/\r\n/g)?.length ?? 0;
    }
  } catch (error) {
    throw error instanceof CsvError ? new CsvProblem(error.message) : error;
  }
}

async function* textOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decode = (piece?: Uint8Array): string => {
    try {
      return utf8.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new CsvProblem('The file is not UTF-8 text.');
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

/** Names without letter case, blanks and underscores: `serial_number`, `serialNumber` and `Serial number` are one. */
const bare = (name: string): string => name.toLowerCase().replace(/[\s_]/g, '');

/** The columns that a first line names, as `known` spells them. Separators behind the last name are left out. */
export function headingsOf(cells: readonly string[], known: readonly string[]): readonly string[] {
  const names = cells.slice(0, cells.findLastIndex((name) => name.trim() !== '') + 1);
  return names.map((name) => known.find((each) => bare(each) === bare(name)) ?? name.trim());
}

/** A warning of digits that a spreadsheet has shortened, for example 8,96529E+19; undefined for other texts. */
export const warningOfShortened = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d[.,]\d+E\+\d+$/i.test(text)
    ? `${text} looks like a long number that a spreadsheet has shortened. Make its column text there, and save the file again.`
    : undefined;

/** Words of spreadsheets in Portuguese, beside those of requests. */
const WORDS = new Map([
  ['verdadeiro', true],
  ['sim', true],
  ['falso', false],
  ['não', false],
  ['nao', false],
]);
export const booleanOf = (text: string): boolean | undefined =>
  BOOLEANS.get(text.toLowerCase()) ?? WORDS.get(normalized(text.toLowerCase()));

/** A comma unless the file says otherwise. */
const SEPARATORS = [',', ';', '\t'] as const;
const SEP_LINE = /^\uFEFF?"?sep=([,;\t])"?\r?(?:\n|$)/;

/** Separator by a first line `sep=;`, which is left out, or the one that the first line has most of. */
function beginOfTable(text: string) {
  const stated = SEP_LINE.exec(text);
  if (stated !== null) return { separator: stated[1] ?? ',', text: text.slice(stated[0].length), leftOut: 1 };
  const [first = ''] = text.split('\n', 1);
  const unquoted = first.replace(/"[^"]*"/g, '');
  const countOf = (separator: string): number => unquoted.split(separator).length;
  const separator = SEPARATORS.reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
  return { separator, text, leftOut: 0 };
}
