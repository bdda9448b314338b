import { describe, expect, it } from 'vitest';

import {
  ndjsonLine,
  ndjsonRows,
  addRows,
  batchesOf,
  NO_ROWS,
  type Row,
} from '../../../src/platform/encoding/json.js';
import { invalid, messagesOf } from '../../../src/platform/errors.js';
import { turnsOf } from '../../support/turns.js';

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

/** Rows, with the messages about those that are not valid. */
async function rowsOf(text: string | Uint8Array, size = 7, maxBytes = 40): Promise<object[]> {
  const rows = await all(ndjsonRows(piecesOf(Buffer.from(text), size), maxBytes));
  return rows.map((row) =>
    'problem' in row ? { line: row.line, errors: messagesOf(row.problem.details.fields ?? {}) } : row,
  );
}

const problem = (line: number, message: string) => ({ line, errors: { row: [message] } });

describe('rows of NDJSON', () => {
  it.each([1, 3, 64, 1_000])('are the same in pieces of %d bytes', async (size) => {
    const long = `{"a":"${'x'.repeat(40)}"}`;
    const lines = ['\uFEFF{"a":1}', '', ' \t', '{"é":"😀"}\r', '[1]', 'null', '{"a"', long, '{"b":2}'];
    expect(await rowsOf(lines.join('\n'), size)).toEqual([
      { line: 1, value: { a: 1 }, bytes: 10 },
      { line: 4, value: { é: '😀' }, bytes: 14 },
      problem(5, 'must be a JSON object'),
      problem(6, 'must be a JSON object'),
      problem(7, 'is not JSON'),
      problem(8, 'must have at most 40 bytes'),
      { line: 9, value: { b: 2 }, bytes: 7 },
    ]);
  });

  it('are exactly as long as allowed, at most', async () => {
    const line = '{"a":"x"}';
    expect(await rowsOf(`${line}\n${line}`, 4, line.length)).toHaveLength(2);
    expect(await rowsOf(`${line}\n`, 4, line.length - 1)).toEqual([problem(1, 'must have at most 8 bytes')]);
  });

  it('are none of an empty text, with or without newlines', async () => {
    expect(await rowsOf('')).toEqual([]);
    expect(await rowsOf('\n\n\r\n  ')).toEqual([]);
  });

  it('RI-05 are refused where bytes are not UTF-8, without the lines around them', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":1}\n{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{}')]);
    expect(await rowsOf(bytes)).toEqual([
      { line: 1, value: { a: 1 }, bytes: 7 },
      problem(2, 'is not UTF-8 text'),
      { line: 3, value: {}, bytes: 2 },
    ]);
  });

  it('leave others their turns, also while there is nothing but empty lines', async () => {
    const { result, turns } = await turnsOf(() => rowsOf('\n'.repeat(2 ** 21), 2 ** 16));
    expect(result).toEqual([]);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('batches of rows', () => {
  const row = (line: number, bytes = 10): Row => ({ line, value: {}, bytes });
  const refused: Row = { line: 3, problem: invalid('row', 'must be a JSON object') };
  async function* rows(...given: Row[]): AsyncGenerator<Row> {
    for (const each of given) yield await Promise.resolve(each);
  }
  const lines = async (source: AsyncIterable<Row>): Promise<number[][]> =>
    (await all(batchesOf(source, { rows: 3, bytes: 100 }))).map((batch) => batch.map(({ line }) => line));

  it('have as many rows as the limit, or end with the row that reaches the bytes', async () => {
    expect(await lines(rows())).toEqual([]);
    expect(await lines(rows(row(1), row(2), row(3), row(4)))).toEqual([[1, 2, 3], [4]]);
    expect(await lines(rows(row(1, 100), row(2, 99), refused, row(4, 1)))).toEqual([[1], [2, 3, 4]]);
  });

  it('are counted', () => {
    const results = [
      { line: 1, result: 'created', id: 1 },
      { line: 2, result: 'rejected', errors: { a: ['b'] } },
    ] as const;
    const totals = { total: 2, created: 1, repeated: 0, rejected: 1 };
    expect(addRows(NO_ROWS, results)).toEqual(totals);
    expect(addRows(totals, [{ line: 3, result: 'repeated', id: 1 }])).toEqual({
      total: 3,
      created: 1,
      repeated: 1,
      rejected: 1,
    });
    expect(ndjsonLine(totals)).toBe('{"total":2,"created":1,"repeated":0,"rejected":1}\n');
  });
});
