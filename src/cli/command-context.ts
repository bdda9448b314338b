import { openDatabase } from '../database/open.js';
import { createUnits, type Origin, type SystemReadWork, type Units } from '../database/work.js';
import { SCOPES, type Caller } from '../platform/caller.js';
import { systemClock } from '../platform/clock.js';
import { readConfig, type Config } from '../platform/config/config.js';
import type { Company } from '../resources/company/company.model.js';
import { getCompanyByName } from '../resources/company/company.service.js';
import type { CommandIo } from './command-io.js';

/** Nobody's in particular: whoever may run commands beside the database (contract 29). */
export const ORIGIN: Origin = { channel: 'api', ip: null, requestId: null };

export interface CommandContext {
  readonly config: Config;
  readonly units: Units;
}

/** Opens the database, also beside a running server, for as long as `use` takes. */
export async function withDatabase<T>(
  { environment }: CommandIo,
  use: (session: CommandContext) => Promise<T>,
): Promise<T> {
  const config = readConfig(environment);
  const database = await openDatabase(config.databaseFile);
  try {
    return await use({ config, units: createUnits(database, systemClock) });
  } finally {
    await database.close();
  }
}

/** The operator of the server, acting within one company. */
export function operatorIn(company: Company): Caller {
  return {
    companyId: company.id,
    userId: null,
    tokenId: null,
    role: 'admin',
    scopes: SCOPES,
    timeZone: 'UTC',
    ...ORIGIN,
  };
}

export async function companyNamed(units: Units, name: string): Promise<Company> {
  return await units.systemRead((work: SystemReadWork) => getCompanyByName(work, name));
}
