import { CompiledQuery } from 'kysely';
import { onTestFinished } from 'vitest';

import { only } from '../../src/database/company/company-rows.js';
import { createUnits } from '../../src/database/units.js';
import type { Units, WriteWork } from '../../src/database/work.js';
import type { Clock } from '../../src/platform/clock.js';
import { DomainError } from '../../src/platform/errors.js';
import type { Caller } from '../../src/platform/requests.js';
import { openDatabase } from '../support/database.js';
import type { TestPlace } from '../support/databases/place.js';
import { SYSTEM } from '../support/server.js';
import { rowsOfCompany, seedCompanies } from '../support/two-companies.js';

const CLOCK: Clock = { now: () => new Date(Date.UTC(2026, 0, 1)), elapsed: () => 0 };
export const CALLER: Caller = {
  companyId: 1,
  userId: 1,
  tokenId: 1,
  role: 'admin',
  scopes: [],
  timeZone: 'UTC',
  ...SYSTEM,
};

/** The result or the code of the domain error; any other error of the lone company fails the test as it is. */
export const outcome = async (result: Promise<unknown>): Promise<unknown> =>
  result.catch((error: unknown) => {
    if (error instanceof DomainError) return error.code;
    throw error;
  });

/** Another company may also cause an error, for example of a constraint. */
export const outcomeOrError = async (result: Promise<unknown>): Promise<unknown> =>
  outcome(result).catch((error: unknown) => error);

/** Databases with the first company, and with both; each is made once in a process, and copied by tests. */
const filled = new Map<boolean, Promise<TestPlace>>();

async function fill(withOther: boolean): Promise<TestPlace> {
  const { place, database } = await openDatabase();
  await seedCompanies(place, withOther);
  await database.close();
  await place.disconnect();
  return place;
}

/** Opens a database of its own with the first company and, with `withOther`, the other one. Call `remove` at the end. */
export async function openCompanies(
  withOther: boolean,
): Promise<{ place: TestPlace; units: Units; remove: () => Promise<void> }> {
  const copyOf = filled.get(withOther) ?? fill(withOther);
  filled.set(withOther, copyOf);
  const { place, database, remove } = await openDatabase({}, { copyOf: await copyOf });
  return { place, units: createUnits(database, CLOCK), remove };
}

/** Like `openCompanies`; removed after the test. */
export async function setUp(withOther: boolean): Promise<{ place: TestPlace; units: Units }> {
  const { remove, ...opened } = await openCompanies(withOther);
  onTestFinished(remove);
  return opened;
}

const UNDO = new Error('The change is undone.');

/**
 * Makes a change as the first company; resolves to what `resultOf` makes of its result, and to the rows that both
 * companies have then. Nothing of it stays.
 */
export async function rehearse(
  units: Units,
  change: (work: WriteWork) => Promise<unknown>,
  resultOf: typeof outcome,
): Promise<{ readonly result: unknown; readonly first: unknown; readonly other: unknown }> {
  const seen: Awaited<ReturnType<typeof rehearse>>[] = [];
  const unit = units.write(CALLER, async (work) => {
    const result = await resultOf(change(work));
    const sql = async <Row>(text: string): Promise<Row[]> =>
      (await work.db.executeQuery<Row>(CompiledQuery.raw(text))).rows;
    const rows = await work.acrossCompanies(async () => ({
      result,
      first: await rowsOfCompany({ sql }, 'first'),
      other: await rowsOfCompany({ sql }, 'other'),
    }));
    seen.push(rows);
    throw UNDO;
  });
  await unit.catch((error: unknown) => {
    if (error !== UNDO) throw error;
  });
  return only(seen);
}
