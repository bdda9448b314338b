import { existsSync } from 'node:fs';
import type { Command } from 'commander';

import { openDatabase } from '../../database/open.js';
import { backupTo, restoreFrom } from '../../database/sqlite/backup.js';
import { checkFile, describeFile } from '../../database/sqlite/check.js';
import { inspectFile } from '../../database/sqlite/inspect.js';
import { readConfig } from '../../platform/config/config.js';
import { CommandError } from '../explain.js';
import type { CommandIo } from '../command-io.js';

interface JsonOption {
  readonly json?: true;
}

export function addDatabaseCommands(program: Command, terminal: CommandIo): void {
  const db = program.command('db').description('the database; also beside a running server');
  db.command('migrate')
    .description(
      "bring the database to this program's schema; a backup is made first where there are records",
    )
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'print JSON')
    .action((options: MigrateOptions) => migrate(terminal, options));
  db.command('check')
    .description('read everything and say what is damaged')
    .option('--json', 'print JSON')
    .action((options: JsonOption) => check(terminal, options));
  db.command('backup')
    .description('copy the database to a new file, readable by its owner only')
    .argument('<file>', 'where to; an existing file is never overwritten')
    .option('--json', 'print JSON')
    .action((file: string, options: JsonOption) => backup(terminal, file, options));
  db.command('restore')
    .description('put a backup in the place of a database that is not there')
    .argument('<file>', 'the backup')
    .option('--json', 'print JSON')
    .action((file: string, options: JsonOption) => restore(terminal, file, options));
  db.command('info')
    .description('say what the database is and holds')
    .option('--json', 'print JSON')
    .action((options: JsonOption) => info(terminal, options));
}

interface MigrateOptions extends JsonOption {
  readonly dryRun?: true;
}

async function migrate(terminal: CommandIo, { dryRun, json }: MigrateOptions): Promise<void> {
  const file = fileOf(terminal);
  const { pending } = inspectFile(file);
  if (dryRun !== true) await (await openDatabase(file)).close();
  const done = dryRun === true ? 'would be applied' : 'applied';
  if (json === true) terminal.print(JSON.stringify({ file, dry_run: dryRun === true, migrations: pending }));
  else if (pending.length === 0) terminal.print(`${file} is up to date.`);
  else for (const name of pending) terminal.print(`${name} ${done}`);
}

function check(terminal: CommandIo, { json }: JsonOption): void {
  const file = fileOf(terminal);
  const problems = checkFile(file);
  if (json === true) terminal.print(JSON.stringify({ file, ok: problems.length === 0, problems }));
  else for (const problem of problems) terminal.print(problem);
  if (problems.length > 0) throw new CommandError(`${file} is damaged: restore a backup.`);
  if (json !== true) terminal.print(`${file} is sound.`);
}

async function backup(terminal: CommandIo, target: string, { json }: JsonOption): Promise<void> {
  const file = fileOf(terminal);
  refuseExisting(target);
  await backupTo(file, target, terminal.progress('Copying'));
  terminal.print(
    json === true ? JSON.stringify({ file, backup: target }) : `${target} holds a copy of ${file}.`,
  );
}

async function restore(terminal: CommandIo, source: string, { json }: JsonOption): Promise<void> {
  const file = fileOf(terminal);
  refuseExisting(file);
  await restoreFrom(source, file, terminal.progress('Copying'));
  terminal.print(
    json === true ? JSON.stringify({ file, backup: source }) : `${file} was restored from ${source}.`,
  );
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new CommandError(
    `${file} exists already, and nothing is overwritten: move it away first, or name another.`,
  );
}

function info(terminal: CommandIo, { json }: JsonOption): void {
  const file = fileOf(terminal);
  const { bytes, logBytes, engine, state, applied, pending, companies, users, records } = describeFile(file);
  const fields = {
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
  };
  if (json === true) {
    terminal.print(JSON.stringify(fields));
    return;
  }
  const counts = Object.entries({ companies, users, ...records }).map(([name, count]) => `${name}: ${count}`);
  terminal.print(`${file}: ${bytes} bytes, ${logBytes} in its log, SQLite ${engine}`);
  terminal.print(
    `schema ${state}: ${[...applied, ...pending.map((name) => `${name} (pending)`)].join(', ')}`,
  );
  for (const count of counts) terminal.print(count);
}

function fileOf({ environment }: CommandIo): string {
  return readConfig(environment).databaseFile;
}
