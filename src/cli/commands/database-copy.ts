import {
  compareTables,
  type Comparison,
  type CopySource,
  copyTables,
  estimate,
  isEqual,
} from '../../database/copy.js';
import { demandEmptyPlace, openSource, openTarget, placeName } from '../../database/open.js';
import { systemClock } from '../../platform/clock.js';
import { ConfigError } from '../../platform/config/config.js';
import { databaseName, parseDatabaseUrl, type DatabaseUrl } from '../../platform/config/database-url.js';
import { counted } from '../../platform/errors.js';
import { CommandError } from '../command-error.js';
import { printResult, table, type CommandIo, type JsonOption } from '../command-io.js';
import { EXIT } from '../exit-codes.js';

export interface CopyOptions extends JsonOption {
  readonly from: string;
  readonly to: string;
  readonly fromPasswordFile?: string;
  readonly toPasswordFile?: string;
  readonly dryRun?: true;
  readonly compare?: true;
}

type Places = Readonly<Record<'from' | 'to', DatabaseUrl>>;

export async function copy(io: CommandIo, options: CopyOptions): Promise<void> {
  const places = {
    from: parsed('--from', options.from, options.fromPasswordFile),
    to: parsed('--to', options.to, options.toPasswordFile),
  };
  if (options.dryRun === true) await demandEmptyPlace(places.to);
  const use = options.dryRun === true ? printEstimate : copyOrCompare;
  await withOpen(await openSource(places.from), (source) => use(io, options, source, places));
}

/** Runs `use` with an open database, then closes it. */
async function withOpen<D extends { close(): Promise<void> }, T>(
  database: D,
  use: (database: D) => Promise<T>,
): Promise<T> {
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function copyOrCompare(
  io: CommandIo,
  options: CopyOptions,
  source: CopySource,
  places: Places,
): Promise<void> {
  const started = systemClock.elapsed();
  const comparing = io.progress('Comparing');
  const comparisons =
    options.compare === true
      ? await withOpen(await openSource(places.to), (target) => compareTables(source, target, comparing))
      : await withOpen(await openTarget(places.to, placeName(places.from), io.notice), (target) =>
          copyTables(source, target, { copying: io.progress('Copying'), comparing }),
        );
  const seconds = Math.round((systemClock.elapsed() - started) / 100) / 10;
  printComparisons(io, options, places, { comparisons, seconds });
}

function printComparisons(
  io: CommandIo,
  options: CopyOptions,
  { from, to }: Places,
  { comparisons, seconds }: { readonly comparisons: readonly Comparison[]; readonly seconds: number },
): void {
  const different = comparisons.filter((comparison) => !isEqual(comparison));
  const rows = comparisons.reduce((sum, { source }) => sum + source.rows, 0);
  const names = { from: databaseName(from), to: databaseName(to) };
  const tables = comparisons.map(({ name, source, target }) => ({ name, ...source, target }));
  const done = options.compare === true ? 'are equal' : `were copied from ${names.from} to ${names.to}`;
  const lines = [
    table(
      ['TABLE', 'ROWS', 'CHECKSUM'],
      comparisons.map(({ name, source }) => [name, String(source.rows), source.checksum]),
    ),
    ...(different.length > 0 ? [] : [`${counted(rows, 'row')} ${done} in ${seconds} s.`]),
  ];
  printResult(io, options, { ...names, rows, seconds, equal: different.length === 0, tables }, lines);
  if (different.length === 0) return;
  const problems = different.map(
    ({ name, source, target }) =>
      `${name}: ${counted(source.rows, 'row')} with ${source.checksum} in the source, ${counted(target.rows, 'row')} with ${target.checksum} in the target`,
  );
  const state = options.compare === true ? '' : ' The target is empty and marked as an unfinished copy.';
  throw new CommandError(
    [...problems, `${names.to} differs from ${names.from}.${state}`].join('\n'),
    EXIT.damaged,
  );
}

async function printEstimate(
  io: CommandIo,
  options: CopyOptions,
  source: CopySource,
  { from, to }: Places,
): Promise<void> {
  const { tables, seconds } = await estimate(source);
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  const bytes = tables.reduce((sum, each) => sum + each.bytes, 0);
  const fields = {
    from: databaseName(from),
    to: databaseName(to),
    dry_run: true,
    rows,
    bytes,
    seconds,
    tables,
  };
  const cells = tables.map((each) => [each.name, String(each.rows), String(each.bytes)]);
  const lines = [
    table(['TABLE', 'ROWS', 'BYTES'], cells),
    `${counted(rows, 'row')} with ${bytes} bytes would be copied, in about ${seconds} s.`,
  ];
  printResult(io, options, fields, lines);
}

/** Errors: `ConfigError`. */
function parsed(option: string, value: string, passwordFile?: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(value, passwordFile);
  } catch (error) {
    throw new ConfigError([`${option}: ${(error as Error).message}`]);
  }
}
