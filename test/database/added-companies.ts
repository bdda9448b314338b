import type { Database } from '../../src/database/database.js';
import { instant } from '../../src/database/storage.js';
import { createUnits } from '../../src/database/units.js';
import type { SystemWriteWork, Units } from '../../src/database/work.js';
import type { DomainError } from '../../src/platform/errors.js';
import { testClock } from '../support/clock.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { SYSTEM } from '../support/server.js';

/** An empty database, and its units of work. */
export async function openUnits(): Promise<TestDatabase & { readonly units: Units }> {
  const opened = await testDatabase();
  return { ...opened, units: createUnits(opened.database, testClock()) };
}

const start = instant.toColumn(new Date(0));

export const addCompany = async (work: SystemWriteWork, name: string): Promise<void> => {
  await work.db.insertInto('companies').values({ name, created_at: start, updated_at: start }).execute();
};

export const add = (units: Units, name: string) =>
  units.systemWrite(SYSTEM, (work) => addCompany(work, name));

/** Names in the order of the ids. */
export async function companies(database: Database): Promise<string[]> {
  const rows = await database.reads.selectFrom('companies').select('name').orderBy('id').execute();
  return rows.map((row) => row.name);
}

/** The code of a domain error, or any other error as text. */
export const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('it was kept'),
    (caught: unknown) => caught as DomainError,
  );
  return 'code' in error ? error.code : String(error);
};
