import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { DAY, systemClock } from '../../src/platform/clock.js';
import type { TestPlace } from '../support/databases/place.js';
import { ingestRows, ndjson, openLines, runningRow, sendLines, totalsOf } from '../support/line-stream.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runCommand, serveHere, startCommand, startProgram } from '../support/program.js';
import { insertTransactions } from '../support/retention.js';
import { contents, notifyGroup, NUMBERS, prepareLargeGroup } from './large-group.js';
import { startPrepared, useDatabase } from './machine.js';
import { killRounds } from './rounds.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

/** `npm run faults` makes hundreds. */
const ROUNDS = 2;

describe('CF-01 kill -9 during mixed writes', () => {
  it(`loses no acknowledged change in ${ROUNDS} rounds`, async () => {
    const { token } = await prepareDatabase(place);
    const { problems, acknowledged } = await killRounds({ rounds: ROUNDS, place, token });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(ROUNDS * 16);
  });
});

describe('kill -9 while a notification goes to a thousand terminals', () => {
  it('CF-03 stores all of its deliveries or none', async () => {
    const { token, groupId } = await prepareLargeGroup(place);
    for (let round = 0; round < 2; round += 1) {
      const program = await startProgram(place.url);
      const client = program.client(token);
      const before = (await contents(client)).length;
      const sending = Promise.allSettled(
        Array.from({ length: 3 }, (_, n) => notifyGroup(client, groupId, `SHOW_MESSAGE|${round}.${n}`)),
      );
      await sleep(Math.random() * 60);
      await program.end('SIGKILL');
      const acknowledged = (await sending).filter(({ status }) => status === 'fulfilled').length;
      const again = await serveHere(place.url);
      const after = (await contents(again.client(token))).length;
      expect(after - before).toBeGreaterThanOrEqual(acknowledged);
      // The started server queues the deliveries that are left.
      await expect.poll(() => problemsIn(place, { deliveriesEach: NUMBERS })).toEqual([]);
      await again.stop();
    }
  });
});

const ROWS = 4_000;
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
    const { token, program } = await startPrepared(place);
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

const OLD = 12_000;
const YOUNG = 50;
const PRUNE = ['db', 'prune', '--transactions', '24 months'];

it('kill -9 of db prune leaves exact totals, and the next run goes on', async () => {
  const { companyId, token } = await prepareDatabase(place);
  const now = systemClock.now().getTime();
  await insertTransactions(place, companyId, OLD, { first: new Date(now - 900 * DAY), stepMs: 60_000 });
  await insertTransactions(place, companyId, YOUNG, { first: new Date(now - DAY), stepMs: 1_000 });
  const server = await serveHere(place.url);
  let before = await countTransactions();
  let interrupted = 0;
  for (let round = 0; round < 6 && interrupted === 0 && before > YOUNG; round += 1) {
    const command = startCommand(PRUNE, place.url);
    // Until it has begun.
    for (let n = 0; n < 200 && (await countTransactions()) === before; n += 1) await sleep(10);
    command.process.kill('SIGKILL');
    await command.ended;
    const after = await countTransactions();
    if (after > YOUNG && after < before) interrupted += 1;
    const [first] = await place.sql<{ id: number }>('select min(id) as id from transactions');
    expect(after).toBe(OLD + YOUNG - (first?.id ?? 0) + 1);
    expect(await problemsIn(place)).toEqual([]);
    before = after;
  }
  expect(interrupted).toBeGreaterThan(0);
  expect((await runCommand(PRUNE, place.url)).code).toBe(0);
  expect(await countTransactions()).toBe(YOUNG);
  const list = await server.client(token).get('transactions?per_page=1');
  expect(JSON.parse(list.text)).toMatchObject({ pagination: { total_entries: YOUNG } });
  expect(await problemsIn(place)).toEqual([]);
  const [pruned] = await place.sql("select up_to, total from prunings where name = 'transactions'");
  expect(pruned).toEqual({ up_to: OLD, total: OLD });
});
