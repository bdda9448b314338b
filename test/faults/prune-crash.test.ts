import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { DAY, systemClock } from '../../src/platform/clock.js';
import type { TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { runCommand, serveHere, startCommand } from '../support/program.js';
import { insertTransactions } from '../support/retention.js';
import { useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

const OLD = 12_000;
const YOUNG = 50;
const PRUNE = ['db', 'prune', '--transactions', '24 months'];

let place: TestPlace;
useDatabase((given) => ({ place } = given));

async function count(): Promise<number> {
  const [row] = await place.sql<{ total: number }>('select count(*) as total from transactions');
  return row?.total ?? 0;
}

it('kill -9 of db prune leaves exact totals, and the next run goes on', async () => {
  const { companyId, token } = await prepareDatabase(place);
  const now = systemClock.now().getTime();
  await insertTransactions(place, companyId, OLD, { first: new Date(now - 900 * DAY), stepMs: 60_000 });
  await insertTransactions(place, companyId, YOUNG, { first: new Date(now - DAY), stepMs: 1_000 });
  const server = await serveHere(place.url);
  let before = await count();
  let interrupted = 0;
  for (let round = 0; round < 6 && interrupted === 0 && before > YOUNG; round += 1) {
    const command = startCommand(PRUNE, place.url);
    // Until it has begun.
    for (let n = 0; n < 200 && (await count()) === before; n += 1) await sleep(10);
    command.process.kill('SIGKILL');
    await command.ended;
    const after = await count();
    if (after > YOUNG && after < before) interrupted += 1;
    const [first] = await place.sql<{ id: number }>('select min(id) as id from transactions');
    expect(after).toBe(OLD + YOUNG - (first?.id ?? 0) + 1);
    expect(await problemsIn(place)).toEqual([]);
    before = after;
  }
  expect(interrupted).toBeGreaterThan(0);
  expect((await runCommand(PRUNE, place.url)).code).toBe(0);
  expect(await count()).toBe(YOUNG);
  const list = await server.client(token).get('transactions?per_page=1');
  expect(JSON.parse(list.text)).toMatchObject({ pagination: { total_entries: YOUNG } });
  expect(await problemsIn(place)).toEqual([]);
  const [pruned] = await place.sql("select up_to, total from prunings where name = 'transactions'");
  expect(pruned).toEqual({ up_to: OLD, total: OLD });
});
