import { type Command, InvalidArgumentError } from 'commander';

import { databaseTools, openDatabase } from '../../database/open.js';
import type { DatabaseTools, TouchedTable } from '../../database/tools.js';
import { readConfig } from '../../platform/config/config.js';
import { databaseName } from '../../platform/config/database-url.js';
import { parseKept } from '../../platform/config/parsing.js';
import type { Period } from '../../platform/period.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, printResult, table, type CommandIo, type JsonOption } from '../command-io.js';
import type { PruneOptions } from '../run-prune.js';
import type { CopyOptions } from './database-copy.js';

const COPY_NOTES = `
A URL is file:PATH or postgres://USER@HOST:PORT/NAME. The target is created or must be empty; it is all or
nothing. The copy has what was stored before it began: stop the servers first, or their later changes are
missing. At the end the target is read again and compared with the source: 3 says that they differ.`;

export function addCommands(db: Command, io: CommandIo): void {
  addJsonCommand(db, 'migrate', 'apply pending migrations; a database that has records is backed up first')
    .option('--dry-run', 'print the pending migrations, and the tables that they lock, with their rows')
    .action((options: MigrateOptions) => migrate(io, options));
  addJsonCommand(db, 'check', 'read the whole database and report damage').action((options: JsonOption) =>
    check(io, options),
  );
  addJsonCommand(db, 'backup', 'copy the database to a new file that only its owner can read')
    .argument('<file>', 'the new file; an existing file is never overwritten')
    .action((file: string, options: JsonOption) => backup(io, file, options));
  addJsonCommand(db, 'restore', 'create the database from a backup; never overwrites a database')
    .argument('<file>', 'the backup')
    .action((file: string, options: JsonOption) => restore(io, file, options));
  addJsonCommand(db, 'info', 'print size, schema version and record counts').action(
    async (options: JsonOption) => {
      const { fields, lines } = await (await toolsOf(io)).describe();
      printResult(io, options, fields, lines);
    },
  );
  addPruneCommand(db, io);
  const compactCommand = addJsonCommand(
    db,
    'compact',
    'give the room of deleted rows back to the disk; no server may be running',
  );
  compactCommand.action((options: JsonOption) => compact(io, options));
  addCopyCommand(db, io);
}

function addCopyCommand(db: Command, io: CommandIo): void {
  addJsonCommand(db, 'copy', 'copy a database to a new one, from SQLite to PostgreSQL or back')
    .requiredOption('--from <url>', 'the database to read')
    .requiredOption('--to <url>', 'the database to fill, which has no records')
    .option('--from-password-file <file>', 'file with the password of a PostgreSQL source')
    .option('--to-password-file <file>', 'file with the password of a PostgreSQL target')
    .option('--dry-run', 'print the rows and bytes of each table and about how long it takes; change nothing')
    .option('--compare', 'compare two databases that exist; change nothing')
    .addHelpText('after', COPY_NOTES)
    .action(async (options: CopyOptions) => {
      // Loaded here, since it uses both kinds of databases.
      const { copy } = await import('./database-copy.js');
      await copy(io, options);
    });
}

interface MigrateOptions extends JsonOption {
  readonly dryRun?: true;
}

async function migrate(io: CommandIo, options: MigrateOptions): Promise<void> {
  const { database } = readConfig(io.environment);
  const tools = await databaseTools(database);
  const isDryRun = options.dryRun === true;
  const pending = await tools.pending();
  const touched = isDryRun ? await tools.touched() : [];
  if (!isDryRun) await (await openDatabase(database, { onProgress: io.notice })).close();
  const lines = [
    ...pending.map((name) => `${name} ${isDryRun ? 'would be applied' : 'applied'}`),
    ...(touched.length === 0 ? [] : [table(TOUCHED_HEADER, touched.map(cellsOf))]),
  ];
  const tables = isDryRun
    ? { tables: touched.map(({ isRewritten, ...each }) => ({ ...each, rewritten: isRewritten })) }
    : {};
  const result = { ...tools.place, dry_run: isDryRun, migrations: pending, ...tables };
  printResult(io, options, result, pending.length === 0 ? [`${nameOf(io)} is up to date.`] : lines);
}

const TOUCHED_HEADER = ['MIGRATION', 'TABLE', 'LOCK', 'ROWS', 'WRITTEN ANEW'];
const cellsOf = ({ migration, table: name, lock, rows, isRewritten }: TouchedTable): string[] => [
  migration,
  name,
  lock,
  String(rows),
  isRewritten ? 'yes' : 'no',
];

async function check(io: CommandIo, options: JsonOption): Promise<void> {
  const tools = await toolsOf(io);
  const name = nameOf(io);
  const problems = await tools.check();
  const isOk = problems.length === 0;
  const rows = await tools.rowCounts();
  const cells = Object.entries(rows ?? {}).map(([name, count]) => [name, String(count)]);
  const lines = [
    ...(rows === null ? [] : [table(['TABLE', 'ROWS'], cells)]),
    ...(isOk ? [`${name}: no damage found.`] : problems),
  ];
  const fields = { ...tools.place, ok: isOk, problems, ...(rows === null ? {} : { rows }) };
  printResult(io, options, fields, lines);
  if (!isOk) throw new CommandError(`${name} is not sound: restore a backup.`);
}

async function backup(io: CommandIo, target: string, options: JsonOption): Promise<void> {
  const tools = await toolsOf(io);
  await tools.backup(target, io.progress('Copying'));
  noteDone(tools, io);
  printResult(io, options, { ...tools.place, backup: target }, [`${nameOf(io)} was copied to ${target}.`]);
}

/** The backup is there, even if the metric of its age cannot be kept. */
function noteDone(tools: DatabaseTools, { notice }: CommandIo): void {
  try {
    tools.noteBackup();
  } catch (error) {
    notice(`The time of this backup was not noted beside the database (${(error as Error).message}).`);
  }
}

async function restore(io: CommandIo, source: string, options: JsonOption): Promise<void> {
  const tools = await toolsOf(io);
  await tools.restore(source, io.progress('Copying'));
  printResult(io, options, { ...tools.place, backup: source }, [
    `${nameOf(io)} was restored from ${source}.`,
  ]);
}

async function compact(io: CommandIo, options: JsonOption): Promise<void> {
  const tools = await toolsOf(io);
  const { before, after } = await tools.compact();
  printResult(io, options, { ...tools.place, bytes_before: before, bytes: after }, [
    `${nameOf(io)} had ${before} bytes and has ${after}.`,
  ]);
}

const toolsOf = ({ environment }: CommandIo): Promise<DatabaseTools> =>
  databaseTools(readConfig(environment).database);
const nameOf = ({ environment }: CommandIo): string => databaseName(readConfig(environment).database);

const NOTES = `
A PERIOD is for example "90 days", "13 months" or "2 years", as 90d, 13m or 2y too, or "forever". Without an option,
that of the setting KEEP_TRANSACTIONS, KEEP_LEDGER or KEEP_DELIVERIES counts. Tokens are deleted 90 days after they
were revoked or have expired. The command can be stopped and run again.`;

function addPruneCommand(db: Command, io: CommandIo): void {
  addJsonCommand(db, 'prune', 'delete what is older than it is to be kept; also where the disk is full')
    .option('--dry-run', 'print what would be deleted; change nothing')
    .option('--transactions <period>', 'keep transactions so long, from their recording on', period)
    .option('--ledger <period>', 'keep ledger entries so long', period)
    .option('--deliveries <period>', 'keep finished deliveries of notifications so long', period)
    .addHelpText('after', NOTES)
    .action(async (options: PruneOptions) => {
      const { runPrune } = await import('../run-prune.js');
      await runPrune(io, options);
    });
}

function period(text: string): Period | null {
  try {
    return parseKept(text);
  } catch (error) {
    throw new InvalidArgumentError(`It ${(error as Error).message}.`);
  }
}
