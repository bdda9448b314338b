import type { Info, Options } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';

import { MAX_ROW_BYTES } from './json.js';

/** A file that is no CSV, and where: for example `Invalid Closing Quote: … at line 3`. */
export class CsvProblem extends Error {
  override readonly name = 'CsvProblem';
}

const PARSING: Options = {
  bom: true,
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
      yield { line: info.lines + leftOut - extraLines - breaks, cells: record };
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
