import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { ingestRows, ndjson, openLines, runningRow, sendLines, totalsOf } from '../support/line-stream.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { serveHere, startProgram } from '../support/program.js';
import { useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

const ROWS = 5_000;
const SOON = { interval: 5 };

async function countTransactions(): Promise<number> {
  const [row] = await place.sql<{ total: number }>('select count(*) as total from transactions');
  return row?.total ?? 0;
}

describe('CF-03 kill -9 in the middle of a stream to ingest', () => {
  it('leaves whole batches, and the same stream again stores every row exactly once', async () => {
    const { token } = await prepareDatabase(place);
    const body = ndjson(ingestRows(ROWS));
    let stored = 0;
    for (const batches of [1, 3]) {
      const program = await startProgram(place.url);
      const stream = openLines(program.url, token);
      stream.sent.end(body);
      const target = stored + batches * 500;
      await expect.poll(countTransactions, SOON).toBeGreaterThanOrEqual(target);
      expect(await program.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
      const left = await countTransactions();
      expect([left % 500, left >= stored, left < ROWS]).toEqual([0, true, true]);
      stored = left;
      expect(await problemsIn(place)).toEqual([]);
    }
    const again = await serveHere(place.url);
    expect((await sendLines(again.url, token, body)).lines).toEqual([totalsOf(ROWS - stored, stored)]);
    const references = await place.sql<{ total: number }>(
      'select count(distinct reference) as total from transactions',
    );
    expect([await countTransactions(), references[0]?.total]).toEqual([ROWS, ROWS]);
    expect(await problemsIn(place)).toEqual([]);
  });

  it('keeps acknowledged totals: rows of answered streams are there after it', async () => {
    const { token } = await prepareDatabase(place);
    const program = await startProgram(place.url);
    const running = Array.from({ length: 700 }, (_, n) => runningRow(n));
    expect((await sendLines(program.url, token, ndjson(running))).lines).toEqual([totalsOf(700)]);
    expect((await sendLines(program.url, token, ndjson(ingestRows(300)))).lines).toEqual([totalsOf(300)]);
    await program.end('SIGKILL');
    const rows = await place.sql<{ status: string; total: number }>(
      'select status, count(*) as total from transactions group by status order by status',
    );
    expect(rows.map(({ status, total }) => [status, total])).toEqual([
      ['running', 400],
      ['success', 300],
    ]);
    expect(await problemsIn(place)).toEqual([]);
  });
});
