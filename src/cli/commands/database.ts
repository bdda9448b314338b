import { InvalidArgumentError } from 'commander';

import { databaseTools, openDatabase } from '../../database/open.js';
import type { DatabaseTools } from '../../database/tools.js';
import { readConfig } from '../../platform/config/config.js';
import { databaseName, type DatabaseUrl } from '../../platform/config/database-url.js';
import { parseKept } from '../../platform/config/parsing.js';
import type { Period } from '../../platform/timestamps.js';
import { CommandError } from '../command-error.js';
import { table, type AddCommand, type CommandIo, type JsonOption, type Result } from '../command-io.js';
import type { CopyOptions } from './database-copy.js';
import type { PruneOptions } from './database-prune.js';

export function addCommands(add: AddCommand): void {
  const migrates = 'apply pending migrations; a database that has records is backed up first';
  add('migrate', migrates, migrate).option(
    '--dry-run',
    'print the pending migrations, and the tables that they lock, with their rows',
  );
  addTool(add, 'check', 'read the whole database and report damage', check);
  addTool(add, 'backup', 'copy the database to a new file that only its owner can read', backup).argument(
    '<file>',
    'the new file; an existing file is never overwritten',
  );
  addTool(add, 'restore', 'create the database from a backup; never overwrites a database', restore).argument(
    '<file>',
    'the backup',
  );
  addTool(add, 'info', 'print size, schema version and record counts', ({ tools }) => tools.describe());
  addPruneCommand(add);
  const compacts = 'give the room of deleted rows back to the disk; no server may be running';
  addTool(add, 'compact', compacts, compact);
  addCopyCommand(add);
}

interface Place {
  readonly url: DatabaseUrl;
  readonly tools: DatabaseTools;
  readonly name: string;
}

async function placeOf({ environment }: CommandIo): Promise<Place> {
  const { database: url } = readConfig(environment);
  return { url, tools: await databaseTools(url), name: databaseName(url) };
}

interface Done extends Omit<Result, 'value'> {
  readonly fields: object;
}

const addTool = (
  add: AddCommand,
  name: string,
  description: string,
  use: (place: Place, file: string, io: CommandIo) => Promise<Done>,
) =>
  add(name, description, async (_options, file, io) => {
    const place = await placeOf(io);
    const { fields, ...result } = await use(place, file, io);
    return { value: { ...place.tools.place, ...fields }, ...result };
  });

async function migrate(
  { dryRun: isDryRun = false }: JsonOption & { readonly dryRun?: boolean },
  _argument: string,
  io: CommandIo,
): Promise<Result> {
  const { url, tools, name } = await placeOf(io);
  const migrations = await tools.pending();
  const value = { ...tools.place, dry_run: isDryRun, migrations };
  const applied = migrations.map((each) => `${each} ${isDryRun ? 'would be applied' : 'applied'}`);
  const lines = migrations.length === 0 ? [`${name} is up to date.`] : applied;
  if (!isDryRun) {
    await (await openDatabase(url, { onProgress: io.notice })).close();
    return { value, lines };
  }
  const touched = await tools.touched();
  const tables = touched.map(({ isRewritten, ...each }) => ({ ...each, rewritten: isRewritten }));
  if (tables.length === 0) return { value: { ...value, tables }, lines };
  const rows = touched.map(({ isRewritten, ...each }) => {
    return [each.migration, each.table, each.lock, each.rows, isRewritten ? 'yes' : 'no'];
  });
  const header = ['MIGRATION', 'TABLE', 'LOCK', 'ROWS', 'WRITTEN ANEW'];
  return { value: { ...value, tables }, lines: [...lines, table(header, rows)] };
}

async function check({ tools, name }: Place): Promise<Done> {
  const { problems, rows } = await tools.check();
  const isOk = problems.length === 0;
  const counted = rows === null ? [] : [table(['TABLE', 'ROWS'], Object.entries(rows))];
  return {
    fields: { ok: isOk, problems, ...(rows === null ? {} : { rows }) },
    lines: [...counted, ...(isOk ? [`${name}: no damage found.`] : problems)],
    failure: isOk ? undefined : new CommandError(`${name} is not sound: restore a backup.`),
  };
}

async function backup({ tools, name }: Place, target: string, io: CommandIo): Promise<Done> {
  const problem = await tools.backup(target, io.progress('Copying'));
  if (problem !== null) io.notice(`The time of this backup was not noted beside the database (${problem}).`);
  return { fields: { backup: target }, lines: [`${name} was copied to ${target}.`] };
}

async function restore({ tools, name }: Place, source: string, io: CommandIo): Promise<Done> {
  await tools.restore(source, io.progress('Copying'));
  return { fields: { backup: source }, lines: [`${name} was restored from ${source}.`] };
}

async function compact({ tools, name }: Place): Promise<Done> {
  const { before, after } = await tools.compact();
  const line = `${name} had ${before} bytes and has ${after}.`;
  return { fields: { bytes_before: before, bytes: after }, lines: [line] };
}

const COPY_NOTES = `
A URL is file:PATH or postgres://USER@HOST:PORT/NAME. The target is created or must be empty; it is all or
nothing. The copy has what was stored before it began: stop the servers first, or their later changes are
missing. At the end the target is read again and compared with the source: 3 says that they differ.`;

function addCopyCommand(add: AddCommand): void {
  // Loaded only when it runs, since it uses both kinds of databases.
  const copy = async (options: CopyOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('./database-copy.js')).copy(io, options);
  add('copy', 'copy a database to a new one, from SQLite to PostgreSQL or back', copy)
    .requiredOption('--from <url>', 'the database to read')
    .requiredOption('--to <url>', 'the database to fill, which has no records')
    .option('--from-password-file <file>', 'file with the password of a PostgreSQL source')
    .option('--to-password-file <file>', 'file with the password of a PostgreSQL target')
    .option('--dry-run', 'print the rows and bytes of each table and about how long it takes; change nothing')
    .option('--compare', 'compare two databases that exist; change nothing')
    .addHelpText('after', COPY_NOTES);
}

const PRUNE_NOTES = `
A PERIOD is for example "90 days", "13 months" or "2 years", as 90d, 13m or 2y too, or "forever". Without an option,
that of the setting KEEP_TRANSACTIONS, KEEP_LEDGER or KEEP_DELIVERIES counts. Tokens are deleted 90 days after they
were revoked or have expired. The command can be stopped and run again.`;

function addPruneCommand(add: AddCommand): void {
  const prune = async (options: PruneOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('./database-prune.js')).prune(io, options);
  add('prune', 'delete what is older than it is to be kept; also where the disk is full', prune)
    .option('--dry-run', 'print what would be deleted; change nothing')
    .option('--transactions <period>', 'keep transactions so long, from their recording on', period)
    .option('--ledger <period>', 'keep ledger entries so long', period)
    .option('--deliveries <period>', 'keep finished deliveries of notifications so long', period)
    .addHelpText('after', PRUNE_NOTES);
}

function period(text: string): Period | null {
  try {
    return parseKept(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
