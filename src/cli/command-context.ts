import { openDatabase } from '../database/open.js';
import { createUnits, type SystemReadWork, type Units } from '../database/work.js';
import { localCaller, type Caller } from '../platform/caller.js';
import { systemClock } from '../platform/clock.js';
import { readConfig, type Config } from '../platform/config/config.js';
import type { Company } from '../resources/company/company.model.js';
import { getCompanyByName } from '../resources/company/company.service.js';
import type { CommandIo } from './command-io.js';

export interface CommandContext {
  readonly config: Config;
  readonly units: Units;
}

/** Runs `use` with the configured database, then closes it. A server may be using the same database. */
export async function withDatabase<T>(
  { environment }: CommandIo,
  use: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment);
  const database = await openDatabase(config.databaseFile);
  try {
    return await use({ config, units: createUnits(database, systemClock) });
  } finally {
    await database.close();
  }
}

/** Errors: `not_found`. */
export async function companyNamed(units: Units, name: string): Promise<Company> {
  return await units.systemRead((work: SystemReadWork) => getCompanyByName(work, name));
}

/** The command line as the caller in a company: no user, every scope. Errors: `not_found`. */
export async function callerIn(units: Units, companyName: string): Promise<Caller> {
  const { id } = await companyNamed(units, companyName);
  return localCaller({ companyId: id, userId: null, timeZone: 'UTC' });
}
