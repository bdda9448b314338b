import { describe, expect, it } from 'vitest';

import type { Units } from '../../src/database/work.js';
import { transactionIngest } from '../../src/domain/payments/transaction/transaction.rest.js';
import { ndjsonRows } from '../../src/platform/encoding/json.js';
import { lineAnswers, MAX_LINE_BYTES, type LineRoute, type Lines } from '../../src/rest/lines.js';
import { ingestRows, ndjson, totalsOf } from '../support/line-stream.js';
import { useServer } from '../support/server.js';
import { turnsOf } from '../support/turns.js';

const server = useServer();

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 65_536) {
    yield await Promise.resolve(bytes.subarray(start, start + 65_536));
  }
}

const errors: unknown[] = [];
const linesOf = (text: string, units: Units = server.app.units): Lines => ({
  rows: ndjsonRows(piecesOf(text), MAX_LINE_BYTES),
  requestId: 'r',
  write: (use) => units.write(server.acme.caller, use),
  onError: (error) => void errors.push(error),
});

async function collected(answers: AsyncIterable<string>): Promise<unknown[]> {
  let text = '';
  for await (const part of answers) text += part;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('a stream of rows', () => {
  it('leaves other clients of its company a turn of the event loop after each 50 rows', async () => {
    const text = ndjson(ingestRows(2_000));
    const { result, turns } = await turnsOf(() => collected(lineAnswers(transactionIngest, linesOf(text))));
    expect(result).toEqual([totalsOf(2_000)]);
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  it('reports an unexpected error to the log, and nothing of it to the client', async () => {
    const broken: LineRoute<unknown> = {
      ...transactionIngest,
      check: () => Promise.reject(new Error('secret')),
      store: () => Promise.reject(new Error('unused')),
    };
    const answer = await collected(lineAnswers(broken, linesOf(ndjson(ingestRows(1)))));
    expect(answer).toMatchObject([{ error: { code: 'internal' }, ...totalsOf(0) }]);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(errors.splice(0)).toEqual([new Error('secret')]);
  });

  it('reads a batch only when the answer to the one before is taken', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of piecesOf('x\n'.repeat(200_000))) {
        read += piece.length;
        yield piece;
      }
    }
    const answers = lineAnswers(transactionIngest, {
      ...linesOf(''),
      rows: ndjsonRows(counted(), MAX_LINE_BYTES),
    });
    await answers.next();
    expect(read).toBe(65_536);
    await answers.return(undefined);
  });

  it('ends a batch after the row that makes it a megabyte', async () => {
    const batches: number[] = [];
    const route: LineRoute<unknown> = {
      ...transactionIngest,
      check: (rows) => Promise.resolve(batches.push(rows.length)),
      store: () => Promise.resolve([]),
    };
    await collected(lineAnswers(route, linesOf(`{"a":"${'x'.repeat(200 * 1024)}"}\n`.repeat(9))));
    expect(batches).toEqual([6, 3]);
  });
});
