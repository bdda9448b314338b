import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';

import { createUnits } from '../../src/database/units.js';
import type { ReadWork, SystemReadWork, Units } from '../../src/database/work.js';
import type { Caller } from '../../src/platform/requests.js';
import { testClock } from './clock.js';
import { testDatabase } from './database.js';
import type { OpenOptions } from './databases/place.js';
import { insertRows } from './databases/rows.js';
import { SYSTEM } from './server.js';

export function callerOf(companyId: number): Caller {
  const member = { companyId, userId: 1, tokenId: null, role: 'admin', scopes: [], timeZone: 'UTC' } as const;
  return { ...member, ...SYSTEM };
}

/** A database with 2,000 companies and two reader threads. */
export async function openExamined(examining: OpenOptions['examining'] = {}) {
  /** Why threads were lost. */
  const lost: unknown[] = [];
  const onThreadLost = (error: unknown): void => void lost.push(error);
  const options = { examining: { threads: 2, ...examining }, onThreadLost };
  const { place, database } = await testDatabase(options);
  const units = createUnits(database, testClock());
  const [created_at, updated_at] = [new Date(0), new Date(0)];
  const names = Array.from({ length: 2_000 }, (_, n) => `company ${n}`);
  await insertRows(
    place,
    'companies',
    names.map((name) => ({ name, created_at, updated_at })),
  );
  return { place, database, units, lost };
}

export function examine<T>(units: Units, companyId: number, use: (work: ReadWork) => Promise<T>): Promise<T> {
  return units.read(callerOf(companyId), use, { examines: true });
}

/** The number of companies. */
export async function count({ db }: Pick<SystemReadWork, 'db'>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as "total" from "companies"`.execute(db);
  return rows[0]?.total ?? 0;
}

/** A statement that would run for hours. */
export async function forHours({ db }: Pick<SystemReadWork, 'db'>): Promise<unknown> {
  return await sql`select count(*) from companies as a, companies as b, companies as c, companies as d`.execute(
    db,
  );
}

/** A unit that has a thread until `end`. */
export async function hold(units: Units, companyId: number): Promise<{ end: () => Promise<unknown> }> {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let unit: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    unit = examine(units, companyId, async (work) => {
      await count(work);
      resolve();
      await finished;
    });
  });
  return {
    end: async () => {
      finish();
      await unit;
    },
  };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(5);
}
