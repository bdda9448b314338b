import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { useDatabase } from '../faults/machine.js';
import { problemsIn } from '../faults/soundness.js';
import type { TestPlace } from '../support/databases/place.js';
import { totalsOf } from '../support/line-stream.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runCommand, serveHere, startCommand } from '../support/program.js';
import { COMPANIES } from '../support/server.js';

let folder: string;
let place: TestPlace;
useDatabase((given) => ({ folder, place } = given));

const ROWS = 6_000;

async function countTransactions(): Promise<number> {
  const [row] = await place.sql<{ total: number }>('select count(*) as total from transactions');
  return row?.total ?? 0;
}

function rowOf(n: number): string {
  return JSON.stringify({
    transaction_type: 'switch',
    serial_number: `S-${n % 9}`,
    logical_number: 'L',
    app_name: 'a.rb',
    status: 'success',
    started_at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    finished_at: '2026-02-01T00:00:00Z',
    parsed: { type: n % 5 === 0 ? 'cancellation' : 'sale', status: 'approved', amount: 1, card: {} },
    ...(n % 2 === 0 ? {} : { reference: `T-${n}` }),
  });
}

describe('CF-01 kill -9 in the middle of an import', () => {
  it('leaves whole batches, and the repeated command stores each row once', async () => {
    const { token } = await prepareDatabase(place);
    const input = join(folder, 'export.ndjson');
    writeFileSync(input, Array.from({ length: ROWS }, (_, n) => rowOf(n)).join('\n'));
    const command = ['transaction', 'import', input, '--company', COMPANIES.acme, '--json'];
    let stored = 0;
    for (const batches of [1, 3]) {
      const killed = startCommand(command, place.url);
      const target = stored + batches * 500;
      await expect.poll(() => countTransactions(), { interval: 5 }).toBeGreaterThanOrEqual(target);
      killed.process.kill('SIGKILL');
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
      const left = await countTransactions();
      expect(left % 500).toBe(0);
      expect(left).toBeGreaterThanOrEqual(stored);
      expect(left).toBeLessThan(ROWS);
      stored = left;
      expect(await problemsIn(place)).toEqual([]);
    }
    const finished = await runCommand(command, place.url);
    expect([finished.code, finished.object()]).toEqual([0, totalsOf(ROWS - stored, stored)]);
    const server = await serveHere(place.url);
    const summary = '{ transactionSummary { count amountTotal approvedAmount cancelledAmount netAmount } }';
    const { body } = await server.client(token).post('/graphql', { query: summary });
    const cancelledAmount = ROWS / 5;
    const approvedAmount = ROWS - cancelledAmount;
    const amounts = { approvedAmount, cancelledAmount, netAmount: approvedAmount - cancelledAmount };
    expect(body.data).toEqual({ transactionSummary: [{ count: ROWS, amountTotal: ROWS, ...amounts }] });
  });
});
