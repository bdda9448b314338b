import * as copying from '../../database/copy.js';
import { requireEmptyPlace, openSource, openTarget, placeName } from '../../database/open.js';
import { systemClock } from '../../platform/clock.js';
import { databaseName } from '../../platform/config/database-url.js';
import { counted } from '../../platform/errors.js';
import { CommandError, EXIT } from '../command-error.js';
import { databaseOf, table, type CommandIo, type JsonOption, type Result } from '../command-io.js';

export interface CopyOptions extends JsonOption {
  readonly from: string;
  readonly to: string;
  readonly fromPasswordFile?: string;
  readonly toPasswordFile?: string;
  readonly dryRun?: true;
  readonly compare?: true;
}

export async function copy(io: CommandIo, options: CopyOptions): Promise<Result> {
  const from = databaseOf('--from', options.from, options.fromPasswordFile);
  const to = databaseOf('--to', options.to, options.toPasswordFile);
  const names = { from: databaseName(from), to: databaseName(to) };
  if (options.dryRun === true) {
    await requireEmptyPlace(to);
    return await withOpen(await openSource(from), (source) => estimated(names, source));
  }
  const started = systemClock.elapsed();
  const comparing = io.progress('Comparing');
  const comparisons = await withOpen(await openSource(from), async (source) =>
    options.compare === true
      ? await withOpen(await openSource(to), (target) => copying.compareTables(source, target, comparing))
      : await withOpen(await openTarget(to, placeName(from), io.notice), (target) =>
          copying.copyTables(source, target, { copying: io.progress('Copying'), comparing }),
        ),
  );
  const seconds = Math.round((systemClock.elapsed() - started) / 100) / 10;
  return compared(names, options.compare === true, comparisons, seconds);
}

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

type Names = Readonly<Record<'from' | 'to', string>>;

function compared(
  names: Names,
  isCompared: boolean,
  comparisons: readonly copying.Comparison[],
  seconds: number,
) {
  const different = comparisons.filter((comparison) => !copying.isEqual(comparison));
  const rows = comparisons.reduce((sum, { source }) => sum + source.rows, 0);
  const tables = comparisons.map(({ name, source, target }) => ({ name, ...source, target }));
  const value = { ...names, rows, seconds, equal: different.length === 0, tables };
  const cells = comparisons.map(({ name, source }) => [name, source.rows, source.checksum]);
  const lines = [table(['TABLE', 'ROWS', 'CHECKSUM'], cells)];
  if (different.length === 0) {
    const done = isCompared ? 'are equal' : `were copied from ${names.from} to ${names.to}`;
    return { value, lines: [...lines, `${counted(rows, 'row')} ${done} in ${seconds} s.`] };
  }
  const problems = different.map(
    ({ name, source, target }) =>
      `${name}: ${counted(source.rows, 'row')} with ${source.checksum} in the source, ${counted(target.rows, 'row')} with ${target.checksum} in the target`,
  );
  const state = isCompared ? '' : ' The target is empty and marked as an unfinished copy.';
  const message = [...problems, `${names.to} differs from ${names.from}.${state}`].join('\n');
  return { value, lines, failure: new CommandError(message, EXIT.damaged) };
}

async function estimated(names: Names, source: copying.CopySource): Promise<Result> {
  const { tables, seconds } = await copying.estimate(source);
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  const bytes = tables.reduce((sum, each) => sum + each.bytes, 0);
  const cells = tables.map((each) => [each.name, each.rows, each.bytes]);
  const lines = [
    table(['TABLE', 'ROWS', 'BYTES'], cells),
    `${counted(rows, 'row')} with ${bytes} bytes would be copied, in about ${seconds} s.`,
  ];
  return { value: { ...names, dry_run: true, rows, bytes, seconds, tables }, lines };
}
