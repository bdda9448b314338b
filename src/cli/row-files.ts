import { createReadStream } from 'node:fs';

import {
  csvRecords,
  CsvProblem,
  type CsvRecord,
  headingsOf,
  warningOfShortened,
} from '../platform/encoding/csv.js';
import { MAX_ROW_BYTES, ndjsonRows, type Row } from '../platform/encoding/json.js';
import { errorAt, invalid } from '../platform/errors.js';
import { withPath } from '../platform/files.js';
import { isObject, parsedJson } from '../platform/validate.js';
import { CommandError } from './command-error.js';

function openFile(path: string) {
  const stream = createReadStream(path);
  // The loop throws it too; without a listener, an error before the loop would end the process.
  stream.on('error', () => undefined);
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      throw withPath(error, path);
    }
  }
  return { pieces: pieces(), bytesRead: () => stream.bytesRead };
}

/** A file with one JSON object per line. Empty lines are skipped; they count for the line numbers. */
export function ndjsonFile(path: string) {
  const { pieces, bytesRead } = openFile(path);
  return { rows: ndjsonRows(pieces, MAX_ROW_BYTES), bytesRead };
}

/** The columns that a file may have and must have, and those that hold JSON. */
export interface Columns {
  readonly known: readonly string[];
  readonly required: readonly string[];
  readonly json: readonly string[];
}

/**
 * A CSV file (RFC 4180, UTF-8) with commas, semicolons or tabs, whose first row names the columns. An empty cell is an absent
 * value, and rows without any value are skipped. `onWarning` gets a line for the first shortened number. Errors:
 * `CommandError` for a wrong header, wrong quotes, and bytes that are no UTF-8.
 */
export function csvFile(path: string, columns: Columns, onWarning?: (line: string) => void) {
  const { pieces, bytesRead } = openFile(path);
  async function* rows(): AsyncGenerator<Row> {
    let header: readonly string[] | undefined;
    let isWarned = false;
    for await (const { line, cells } of recordsIn(path, pieces)) {
      const warning = cells.map(warningOfShortened).find((each) => each !== undefined);
      if (warning !== undefined && !isWarned) onWarning?.(`line ${line}: ${warning}`);
      isWarned ||= warning !== undefined;
      if (header !== undefined) yield rowOf(line, header, cells, columns);
      else header = checkedHeader(path, cells, columns);
    }
  }
  return { rows: rows(), bytesRead };
}

/** Values of a file, one in each row, without a first row that names the column. Errors: `CommandError`. */
export async function listIn(path: string, column: string) {
  const values: { readonly line: number; readonly value: string }[] = [];
  let isFirst = true;
  for await (const { line, cells } of recordsIn(path, openFile(path).pieces)) {
    const [value = '', ...others] = cells.filter((cell) => cell !== '');
    const isHeader = isFirst && cells.some((cell) => cell.trim().toLowerCase() === column);
    isFirst = false;
    if (others.length > 0) {
      const quotes = 'A value with a comma, semicolon or tab must be in quotes.';
      throw new CommandError(`${path}: line ${line} must have one ${column}, not several values. ${quotes}`);
    }
    if (!isHeader) values.push({ line, value });
  }
  return values;
}

async function* recordsIn(path: string, pieces: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  try {
    yield* csvRecords(pieces);
  } catch (error) {
    throw error instanceof CsvProblem ? new CommandError(`${path}: ${error.message}`) : error;
  }
}

function checkedHeader(path: string, cells: readonly string[], { known, required }: Columns) {
  const header = headingsOf(cells, known);
  const refuse = (what: string, names: readonly string[]): void => {
    if (names.length > 0) throw new CommandError(`${path}: ${what} in the first line: ${names.join(', ')}`);
  };
  const unknown = header.filter((name) => !known.includes(name));
  refuse('unknown columns', unknown);
  const repeated = header.filter((name, index) => header.indexOf(name) !== index);
  refuse('repeated columns', repeated);
  const missing = required.filter((name) => !header.includes(name));
  refuse('missing columns', missing);
  return header;
}

function rowOf(line: number, header: readonly string[], cells: readonly string[], { json }: Columns): Row {
  // Spreadsheets write separators behind the last column.
  if (cells.length < header.length || cells.slice(header.length).some((cell) => cell !== '')) {
    const message = `must have ${header.length} cells, not ${cells.length}`;
    return { line, problem: errorAt('row', 'invalid', message) };
  }
  const value: Record<string, unknown> = {};
  for (const [index, name] of header.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const read = json.includes(name) ? parsedObject(cell) : cell;
    if (read === undefined) return { line, problem: invalid(name, 'must be a JSON object') };
    value[name] = read;
  }
  return { line, value, bytes: cells.reduce((sum, cell) => sum + cell.length, 0) };
}

/** Undefined for any other text; null for the text `null`. */
function parsedObject(text: string): object | null | undefined {
  const value = parsedJson(text);
  return isObject(value) || value === null ? value : undefined;
}
