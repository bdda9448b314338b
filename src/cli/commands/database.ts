import { InvalidArgumentError } from 'commander';

import { databaseTools, openDatabase } from '../../database/open.js';
import type { DatabaseTools } from '../../database/tools.js';
import { readConfig } from '../../platform/config/config.js';
import { databaseName, type DatabaseUrl } from '../../platform/config/database-url.js';
import { parseKept } from '../../platform/config/parsing.js';
import type { Period } from '../../platform/timestamps.js';
import { CommandError } from '../command-error.js';
import {
  databaseOf,
  table,
  type AddCommand,
  type CommandIo,
  type JsonOption,
  type Result,
} from '../command-io.js';
import type { CopyOptions } from './database-copy.js';
import type { DrillOptions } from './database-drill.js';
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
  addDrillCommand(add);
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

const DRILL_NOTES = `
The folder needs room for the backup and, for a SQLite file, for the restored one. For PostgreSQL, pg_dump and
pg_restore of the version of the server must be installed, and --into names an empty database of the same server
and user, which is emptied at the end. The drill can run while servers do. If a step fails, what it has made stays
and is named, and the exit code is not 0. The time of the drill does not count as that of a backup.`;

function addDrillCommand(add: AddCommand): void {
  const drills = 'make a backup, restore it beside the database, check it, and remove both; print the times';
  add('drill', drills, async ({ into, intoPasswordFile }: DrillOptions, folder, io) => {
    const { runDrill } = await import('./database-drill.js');
    const { tools, name } = await placeOf(io);
    const target = into === undefined ? null : databaseOf('--into', into, intoPasswordFile);
    return await runDrill(await tools.drill(folder, target, io.environment), name, io);
  })
    .argument('<folder>', 'folder for the files of the drill')
    .option('--into <url>', 'for PostgreSQL: an empty database, into which the backup is restored')
    .option('--into-password-file <file>', 'file with the password of that database')
    .addHelpText('after', DRILL_NOTES);
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
    .requiredOption('--to <url>', 'the database to fill; it must have no records')
    .option('--from-password-file <file>', 'file with the password of a PostgreSQL source')
    .option('--to-password-file <file>', 'file with the password of a PostgreSQL target')
    .option('--dry-run', 'print the rows and bytes of each table and about how long it takes; change nothing')
    .option('--compare', 'compare two databases that exist; change nothing')
    .addHelpText('after', COPY_NOTES);
}

const PRUNE_NOTES = `
A PERIOD is for example "90 days", "13 months" or "2 years", as 90d, 13m or 2y too, or "forever". Without an option,
that of the setting KEEP_TRANSACTIONS, KEEP_LEDGER, KEEP_DELIVERIES or KEEP_LOGS counts. Tokens are deleted 90 days
after they were revoked or have expired. The command can be stopped and run again.`;

function addPruneCommand(add: AddCommand): void {
  const prune = async (options: PruneOptions, _argument: string, io: CommandIo): Promise<Result> =>
    await (await import('./database-prune.js')).prune(io, options);
  add('prune', 'delete what is older than it is to be kept; also where the disk is full', prune)
    .option('--dry-run', 'print what would be deleted; change nothing')
    .option('--transactions <period>', 'how long transactions are kept, from their recording on', period)
    .option('--ledger <period>', 'how long ledger entries are kept', period)
    .option('--deliveries <period>', 'how long finished deliveries of notifications are kept', period)
    .option('--logs <period>', 'how long logs of terminals are kept, from their arrival on', period)
    .addHelpText('after', PRUNE_NOTES);
}

function period(text: string): Period | null {
  try {
    return parseKept(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
