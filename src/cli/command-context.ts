import type { Command } from 'commander';

import { inCompany, type OfCompany } from '../database/company/company-rows.js';
import type { Database, OpenOptions } from '../database/database.js';
import { openDatabase } from '../database/open.js';
import { createUnits } from '../database/units.js';
import type { SystemReadWork, Units, WriteWork } from '../database/work.js';
import { getCompanyByName } from '../domain/people/company/company.service.js';
import { firstAdministrator, getMembership, getUserByEmail } from '../domain/people/user/user.service.js';
import { readDuration, systemClock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config/config.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import { ledgerChainHash } from '../platform/hashes.js';
import { type Caller, localCaller } from '../platform/requests.js';
import { snakeCase } from '../platform/validate.js';
import { CommandError } from './command-error.js';
import type { AddCommand, CommandIo, JsonOption, Result, Run } from './command-io.js';

export interface CommandContext {
  readonly config: Config;
  readonly database: Database;
  readonly units: Units;
}

/** Runs `use` with the configured database, then closes it. A server may be using the same database. */
export async function withDatabase<T>(
  { environment }: CommandIo,
  use: (context: CommandContext) => Promise<T>,
  options: Pick<OpenOptions, 'usesReserve'> = {},
): Promise<T> {
  const config = readConfig(environment);
  const database = await openDatabase(config.database, options);
  try {
    const chain = config.ledgerChain ? ledgerChainHash(loadTokenSecret(config)) : null;
    return await use({ config, database, units: createUnits(database, systemClock, { chain }) });
  } finally {
    await database.close();
  }
}

export interface CompanyOptions extends JsonOption {
  readonly company: string;
}

export function addRead(
  add: AddCommand,
  name: string,
  description: string,
  read: (work: OfCompany<SystemReadWork>) => Promise<Result>,
): Command {
  return add<CompanyOptions>(name, description, ({ company }, _argument, io) =>
    withDatabase(io, ({ units }) =>
      units.systemRead(async (work) => read(inCompany(work, (await getCompanyByName(work, company)).id))),
    ),
  ).requiredOption('--company <name>', 'the company');
}

/** Adds the option `--as`, which every command has that changes records of a company. */
export function withActor(command: Command): Command {
  return command.option(
    '--as <address>',
    'e-mail address of the member who makes the change (default: the first administrator of the company)',
  );
}

/** Options of a command that changes records of a company: where it makes changes, and on whose behalf. */
export interface ChangeOptions extends CompanyOptions {
  readonly as?: string;
}

/** Adds a command that changes records of a company, see `changeIn`. */
export function addCompanyCommand<O extends ChangeOptions>(
  add: AddCommand,
  name: string,
  description: string,
  run: Run<O>,
): Command {
  return withActor(add(name, description, run)).requiredOption('--company <name>', 'the company');
}

/** Changes records of a company; `argument` is the first argument of the command, or empty. */
type Change<O> = (work: WriteWork, options: O, argument: string, config: Config) => Promise<Result>;

/** Adds a command that changes records of a company in one unit of work. */
export function addChange<O extends ChangeOptions>(
  add: AddCommand,
  name: string,
  description: string,
  change: Change<O>,
): Command {
  return addCompanyCommand<O>(add, name, description, (options, argument, io) =>
    changeIn(io, options, (work, { config }) => change(work, options, argument, config)),
  );
}

/** Changes records of a company on behalf of a member, see `callerIn`. Errors: those of `callerIn` and `use`. */
export async function changeIn<T>(
  io: CommandIo,
  options: ChangeOptions,
  use: (work: WriteWork, context: CommandContext) => Promise<T>,
): Promise<T> {
  return await withDatabase(io, async (context) =>
    context.units.write(await callerIn(context.units, options), async (work) => {
      const changed = await use(work, context);
      for (const warning of work.warnings) io.notice(`warning: ${warning}`);
      return changed;
    }),
  );
}

/** Caller for changes in a company: the member of `--as`, or the first administrator (contract 28). */
export async function callerIn(units: Units, { company: name, as }: ChangeOptions): Promise<Caller> {
  return await units.systemRead(async (work) => {
    const { id: companyId } = await getCompanyByName(work, name);
    const userId = await actorIn(work, companyId, as);
    if (userId !== undefined) return localCaller({ companyId, userId, timeZone: 'UTC' });
    throw new CommandError(
      `"${name}" has no administrator: name the member who makes the change with --as E-MAIL.`,
    );
  });
}

/** Id of the member of `--as`, or of the first administrator, if there is one. Errors: `not_found`. */
export async function actorIn(work: SystemReadWork, companyId: number, as: string | undefined) {
  if (as === undefined) return (await firstAdministrator(work, companyId))?.id;
  const { id: userId } = await getUserByEmail(work, as);
  return (await getMembership(work, { companyId, userId })).userId;
}

/** Option of commands that issue a token in place of another one. */
export const KEEP_OLD_FOR = [
  '--keep-old-for <time>',
  'time for which the old token works beside the new one, for example 24h; at most 30d',
] as const;

export interface KeepOptions extends ChangeOptions {
  readonly keepOldFor?: string;
}

/** Milliseconds of that option; 0 without it. Errors: `CommandError`. */
export function keptFor({ keepOldFor = '0s' }: KeepOptions): number {
  const milliseconds = readDuration(keepOldFor);
  if (milliseconds !== undefined) return milliseconds;
  throw new CommandError('--keep-old-for: must be a length of time such as 30m, 24h or 7d');
}

/** The fields of a record for JSON: `lastFour` as `last_four`. */
export function fieldsOf(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [snakeCase(name), value]));
}
