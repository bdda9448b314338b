import fc from 'fast-check';
import { sql } from 'kysely';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createUnits } from '../../src/database/units.js';
import type { Units, WriteWork } from '../../src/database/work.js';
import { createDevices } from '../../src/domain/fleet/device/device.service.js';
import {
  createGroup,
  getGroupByName,
  groupRecords,
  updateGroup,
} from '../../src/domain/fleet/group/group.service.js';
import { systemClock } from '../../src/platform/clock.js';
import { yieldToEventLoop } from '../../src/platform/concurrency/event-loop.js';
import { localCaller } from '../../src/platform/requests.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';
import { codeOf } from './added-companies.js';
import { openGrouped } from './grouped.js';

const COMPANIES = [1, 2];
const NOW = new Date('2026-11-23T12:00:00Z');
const clock = { now: () => NOW, elapsed: () => systemClock.elapsed() };

const KINDS = ['create', 'rename', 'delete', 'try to create', 'create devices', 'yield', 'fail'] as const;
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  name,
  to: name,
  devices: fc.integer({ min: 1, max: 250 }),
});
const unit = fc.record({
  companyId: fc.constantFrom(...COMPANIES),
  /** Turns of the event loop before it arrives. */
  delay: fc.nat({ max: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Unit = typeof unit extends fc.Arbitrary<infer T> ? T : never;

const STEPS: Readonly<Record<Step['kind'], (work: WriteWork, given: Step) => Promise<unknown>>> = {
  create: (work, given) => createGroup(work, { name: given.name }),
  'try to create': (work, given) => createGroup(work, { name: given.name }).catch(() => null),
  rename: async (work, given) =>
    await updateGroup(work, await getGroupByName(work, given.name), { name: given.to }),
  delete: async (work, given) => await groupRecords.delete(work, await getGroupByName(work, given.name)),
  'create devices': async (work, { devices }) => {
    const serialNumbers = Array.from({ length: devices }, (_none, n) => `${devices % 7}-${n}`);
    return await createDevices(work, serialNumbers, 'REJECT_FAILED_ROWS');
  },
  yield: () => yieldToEventLoop(),
  fail: () => Promise.reject(new Error('changed my mind')),
};

async function prepare({ writes }: Database): Promise<void> {
  await sql`insert into users (id, email, name, time_zone, password_hash, sign_in_count, failed_sign_ins, revision,
    created_at, updated_at) values (5, 'a@example.com', 'a', 'UTC', 'none', 0, 0, 1, 0, 0)`.execute(writes);
  for (const id of COMPANIES) {
    await sql`insert into companies (id, name, created_at, updated_at)
      values (${id}, ${`company ${id}`}, 0, 0)`.execute(writes);
    await sql`insert into memberships (company_id, user_id, role, created_at)
      values (${id}, 5, 'admin', 0)`.execute(writes);
  }
}

interface Outcome {
  /** Indexes of the units, in the order in which they ran. */
  readonly order: readonly number[];
  /** Indexes of the successful units, in the order in which they ended. */
  readonly acknowledged: readonly number[];
  /** Result or error of each unit. */
  readonly results: readonly unknown[];
}

/** Returns how the units ended, and functions that run them: all together, or one after the other. */
function runner(units: Units, given: readonly Unit[]) {
  const order: number[] = [];
  const acknowledged: number[] = [];
  const results: unknown[] = [];
  const run = async (index: number): Promise<void> => {
    const { companyId, steps } = given[index] ?? { companyId: 0, steps: [] };
    const done: unknown[] = [];
    const caller = localCaller({ companyId, userId: 5, timeZone: 'UTC' });
    const code = await codeOf(
      units.write(caller, async (work) => {
        order.push(index);
        work.afterCommit(() => acknowledged.push(index));
        for (const each of steps) done.push(await STEPS[each.kind](work, each));
      }),
    );
    results[index] = { code, done };
  };
  return { run, outcome: { order, acknowledged, results } satisfies Outcome };
}

async function rowsOf({ reads }: Database): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for (const table of ['groups', 'devices', 'ledger', 'counters']) {
    const { rows } = await sql`select * from ${sql.table(table)} order by 1, 2, 3`.execute(reads);
    all.push(rows);
  }
  return all;
}

it('units in groups have the results of the same units one after the other', async () => {
  let [ran, commits] = [0, 0];
  const property = fc.asyncProperty(fc.array(unit, { minLength: 2, maxLength: 24 }), async (given) => {
    const grouped = openGrouped(clock);
    await prepare(grouped.database);
    grouped.hooks.committed = () => (commits += 1);
    const together = runner(grouped.units, given);
    await Promise.all(
      given.map(async ({ delay }, index) => {
        for (let waited = 0; waited < delay; waited += 1) await turn();
        await together.run(index);
      }),
    );
    const plain = sqliteDatabase();
    await prepare(plain);
    const alone = runner(createUnits(plain, clock), given);
    for (const index of together.outcome.order) await alone.run(index);

    expect(together.outcome.order).toHaveLength(given.length);
    expect(together.outcome).toEqual(alone.outcome);
    expect(await rowsOf(grouped.database)).toEqual(await rowsOf(plain));
    ran += given.length;
  });
  await fc.assert(property, { numRuns: 12 });
  expect(commits).toBeLessThan(ran);
});
