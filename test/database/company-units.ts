import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import type { Caller } from '../../src/platform/caller.js';
import type { Clock } from '../../src/platform/clock.js';
import { DomainError } from '../../src/platform/errors.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import type { TestPlace } from '../support/databases/place.js';
import { SYSTEM } from '../support/server.js';
import { seedCompanies } from '../support/two-companies.js';

const CLOCK: Clock = { now: () => new Date(Date.UTC(2026, 0, 1)), elapsed: () => 0 };
export const CALLER: Caller = {
  ...{ companyId: 1, userId: 1, tokenId: 1, role: 'admin', scopes: [], timeZone: 'UTC' },
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

export async function unitsOf({ place, database }: TestDatabase, withOther: boolean): Promise<Units> {
  await seedCompanies(place, withOther);
  return createUnits(database, CLOCK);
}

/** An own database with the first company and, with `withOther`, the other one. */
export async function setUp(withOther: boolean): Promise<{ place: TestPlace; units: Units }> {
  const opened = await testDatabase();
  return { place: opened.place, units: await unitsOf(opened, withOther) };
}
