import { describe, expect, it } from 'vitest';

import type { Units } from '../../src/database/work.js';
import { transactionIngest } from '../../src/domain/payments/transaction/transaction.rest.js';
import { ndjsonRows } from '../../src/platform/encoding/json.js';
import { storeLines, MAX_LINE_BYTES, type LineRoute, type Lines } from '../../src/rest/lines.js';
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

const linesOf = (text: string, units: Units = server.app.units): Lines => ({
  rows: ndjsonRows(piecesOf(text), MAX_LINE_BYTES),
  write: (use) => units.write(server.acme.caller, use),
});

describe('a stream of rows', () => {
  it('leaves other clients of its company a turn of the event loop after each 50 rows', async () => {
    const text = ndjson(ingestRows(2_000));
    const shown: string[] = [];
    const { result, turns } = await turnsOf(() =>
      storeLines(transactionIngest, linesOf(text), (lines) => shown.push(lines)),
    );
    expect([result, shown]).toEqual([{ totals: totalsOf(2_000), error: null }, []]);
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  it('reads a batch only when the lines of the one before are kept', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const piece of piecesOf('x\n'.repeat(200_000))) {
        read += piece.length;
        yield piece;
      }
    }
    const lines = { ...linesOf(''), rows: ndjsonRows(counted(), MAX_LINE_BYTES) };
    const full = new Error('full');
    const kept = storeLines(transactionIngest, lines, () => Promise.reject(full));
    expect(await kept).toEqual({ totals: totalsOf(0, 0, 500), error: full });
    expect(read).toBe(65_536);
  });

  it('ends a batch after the row that makes it a megabyte', async () => {
    const batches: number[] = [];
    const route: LineRoute<unknown> = {
      ...transactionIngest,
      check: (rows) => Promise.resolve(batches.push(rows.length)),
      store: () => Promise.resolve([]),
    };
    const lines = linesOf(`{"a":"${'x'.repeat(200 * 1024)}"}\n`.repeat(9));
    await storeLines(route, lines, () => undefined);
    expect(batches).toEqual([6, 3]);
  });
});
