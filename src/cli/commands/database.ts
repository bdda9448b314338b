import { existsSync } from 'node:fs';
import type { Command } from 'commander';

import { openDatabase } from '../../database/sqlite/open.js';
import { backupTo, restoreFrom } from '../../database/sqlite/file/backup.js';
import { checkFile, describeFile, refuseNone } from '../../database/sqlite/file/check.js';
import { inspectFile } from '../../database/sqlite/file/inspect.js';
import { keepLog, lossOf, refuseLoss } from '../../database/sqlite/file/loss.js';
import { foreignObjects } from '../../database/sqlite/foreign-objects.js';
import { systemClock } from '../../platform/clock.js';
import { readConfig } from '../../platform/config/config.js';
import { noteBackup } from '../../platform/last-backup.js';
import { CommandError } from '../command-error.js';
import { addJsonCommand, printResult, type CommandIo, type JsonOption } from '../command-io.js';

export function addDatabaseCommands(program: Command, io: CommandIo): void {
  const db = program.command('db').description('database commands; a server may be running');
  addJsonCommand(db, 'migrate', 'apply pending migrations; a database that has records is backed up first')
    .option('--dry-run', 'list the pending migrations only')
    .action((options: MigrateOptions) => migrate(io, options));
  const checkCommand = addJsonCommand(db, 'check', 'read the whole database and report damage');
  checkCommand.action((options: JsonOption) => check(io, options));
  addJsonCommand(db, 'backup', 'copy the database to a new file that only its owner can read')
    .argument('<file>', 'the new file; an existing file is never overwritten')
    .action((file: string, options: JsonOption) => backup(io, file, options));
  addJsonCommand(db, 'restore', 'create the database from a backup; never overwrites a database')
    .argument('<file>', 'the backup')
    .action((file: string, options: JsonOption) => restore(io, file, options));
  const infoCommand = addJsonCommand(db, 'info', 'print size, schema version and record counts');
  infoCommand.action((options: JsonOption) => info(io, options));
}

interface MigrateOptions extends JsonOption {
  readonly dryRun?: true;
}

async function migrate(io: CommandIo, options: MigrateOptions): Promise<void> {
  const file = fileOf(io);
  const isDryRun = options.dryRun === true;
  const { pending } = inspectFile(file);
  refuseLoss(file);
  if (!isDryRun) await (await openDatabase(file)).close();
  const lines = pending.map((name) => `${name} ${isDryRun ? 'would be applied' : 'applied'}`);
  const result = { file, dry_run: isDryRun, migrations: pending };
  printResult(io, options, result, pending.length === 0 ? [`${file} is up to date.`] : lines);
}

async function check(io: CommandIo, options: JsonOption): Promise<void> {
  const file = fileOf(io);
  const problems = await checkWhole(file);
  const isOk = problems.length === 0;
  printResult(io, options, { file, ok: isOk, problems }, isOk ? [`${file}: no damage found.`] : problems);
  if (!isOk) throw new CommandError(`${file} is not sound: restore a backup.`);
}

async function checkWhole(file: string): Promise<readonly string[]> {
  refuseNone(file);
  const loss = lossOf(file);
  // A database that has lost changes stays as it is.
  const endLog = loss === null ? keepLog(file) : (): void => undefined;
  try {
    const lost = loss === null ? [] : [loss.problem];
    return [...lost, ...checkFile(file), ...(await foreignObjects(file))];
  } finally {
    endLog();
  }
}

async function backup(io: CommandIo, target: string, options: JsonOption): Promise<void> {
  const file = fileOf(io);
  refuseExisting(target);
  refuseLoss(file);
  await backupTo(file, target, io.progress('Copying'));
  noteDone(file, io);
  printResult(io, options, { file, backup: target }, [`${file} was copied to ${target}.`]);
}

/** The backup is there, even if the metric of its age cannot be kept. */
function noteDone(file: string, { notice }: CommandIo): void {
  try {
    noteBackup(file, systemClock);
  } catch (error) {
    notice(`The time of this backup was not noted beside ${file} (${(error as Error).message}).`);
  }
}

async function restore(io: CommandIo, source: string, options: JsonOption): Promise<void> {
  const file = fileOf(io);
  refuseExisting(file);
  await restoreFrom(source, file, io.progress('Copying'));
  printResult(io, options, { file, backup: source }, [`${file} was restored from ${source}.`]);
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new CommandError(`${file} exists and is not overwritten: move it away, or name another file.`);
}

function info(io: CommandIo, options: JsonOption): void {
  const file = fileOf(io);
  const { bytes, logBytes, engine, state, applied, pending, companies, users, records } = describeFile(file);
  const problem = lossOf(file)?.problem ?? null;
  const migrations = [...applied, ...pending.map((name) => `${name} (pending)`)].join(', ');
  const counts = Object.entries({ companies, users, ...records }).map(([name, count]) => `${name}: ${count}`);
  printResult(
    io,
    options,
    {
      file,
      bytes,
      log_bytes: logBytes,
      sqlite: engine,
      state,
      applied,
      pending,
      companies,
      users,
      records,
      loss: problem,
    },
    [
      `${file}: ${bytes} bytes, ${logBytes} in its log, SQLite ${engine}`,
      `schema ${state}: ${migrations}`,
      ...counts,
      ...(problem === null ? [] : [problem]),
    ],
  );
}

function fileOf({ environment }: CommandIo): string {
  return readConfig(environment).databaseFile;
}
