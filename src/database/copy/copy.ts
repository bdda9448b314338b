import { systemClock } from '../../platform/clock.js';
import type { CopyReader, CopySource, CopyTarget } from './place.js';
import { COPIED_TABLES, SHAPES, type TableShape } from './tables.js';
import { Checksum } from './values.js';

export interface TableSum {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 in hexadecimal. */
  readonly checksum: string;
}

export interface Comparison {
  readonly name: string;
  readonly source: Omit<TableSum, 'name'>;
  readonly target: Omit<TableSum, 'name'>;
}

export interface CopyProgress {
  readonly copying: (done: number, total: number) => void;
  readonly comparing: (done: number, total: number) => void;
}

/**
 * Copies all tables, reads the target again, and commits if nothing differs. Resolves to the tables of both;
 * if they differ, the target stays empty and marked as unfinished. Everything is one transaction of the
 * target: with one transaction per batch, a crash would leave rows behind and triggers off. Errors:
 * `DatabaseRefused`; the faults of a storage.
 */
export async function copyTables(
  source: CopySource,
  target: CopyTarget,
  progress: CopyProgress,
): Promise<readonly Comparison[]> {
  await demandKnown(source, target);
  const total = await rowsOf(source);
  let done = 0;
  const sums: TableSum[] = [];
  for (const shape of SHAPES) {
    sums.push(await copyTable(source, target, shape, (rows) => progress.copying((done += rows), total)));
  }
  await target.finish(await source.lastNumbers());
  const comparisons = compared(sums, await sumsOf(target, total, progress.comparing));
  if (comparisons.every(isEqual)) await target.commit();
  return comparisons;
}

/** Compares all tables of both databases without changing anything. */
export async function compareTables(
  source: CopyReader,
  target: CopyReader,
  onProgress: CopyProgress['comparing'],
): Promise<readonly Comparison[]> {
  await demandKnown(source, target);
  const inSource = await rowsOf(source);
  const total = inSource + (await rowsOf(target));
  const sums = await sumsOf(source, total, onProgress);
  return compared(sums, await sumsOf(target, total, (done, all) => onProgress(inSource + done, all)));
}

export const isEqual = ({ source, target }: Comparison): boolean =>
  source.rows === target.rows && source.checksum === target.checksum;

export interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Measured duration of a copy and its comparison, on two processors. Rows with many indexes take longest. */
const SECONDS_PER_ROW = 60e-6;
const SECONDS_PER_BYTE = 30e-9;

/** Tables that would be copied, and the approximate duration in seconds. */
export async function estimate(
  source: CopySource,
): Promise<{ readonly tables: readonly TableSize[]; readonly seconds: number }> {
  const tables: TableSize[] = [];
  await source.demandKnownTables();
  for (const name of COPIED_TABLES) {
    tables.push({ name, rows: await source.count(name), bytes: await source.bytes(name) });
  }
  const seconds = tables.reduce(
    (sum, { rows, bytes }) => sum + rows * SECONDS_PER_ROW + bytes * SECONDS_PER_BYTE,
    1,
  );
  return { tables, seconds: Math.ceil(seconds) };
}

/** Copies a table, and reads the next batch while the target stores the current one. */
async function copyTable(
  source: CopySource,
  target: CopyTarget,
  shape: TableShape,
  onRows: (rows: number) => void,
): Promise<TableSum> {
  const checksum = new Checksum(shape);
  let storing = Promise.resolve();
  try {
    for await (const rows of source.rows(shape)) {
      await storing;
      storing = target.insert(shape, rows);
      // The next `await` throws its error.
      storing.catch(() => undefined);
      checksum.add(rows);
      onRows(rows.length);
    }
  } finally {
    await storing;
  }
  return { name: shape.name, rows: checksum.rows, checksum: checksum.end() };
}

async function sumsOf(
  reader: CopyReader,
  total: number,
  onProgress: CopyProgress['comparing'],
): Promise<readonly TableSum[]> {
  let done = 0;
  let shownAt = systemClock.elapsed();
  const sums: TableSum[] = [];
  for (const shape of SHAPES) {
    const checksum = new Checksum(shape);
    for await (const rows of reader.rows(shape)) {
      checksum.add(rows);
      done += rows.length;
      if (systemClock.elapsed() - shownAt < 100) continue;
      shownAt = systemClock.elapsed();
      onProgress(done, total);
    }
    sums.push({ name: shape.name, rows: checksum.rows, checksum: checksum.end() });
  }
  return sums;
}

function compared(source: readonly TableSum[], target: readonly TableSum[]): readonly Comparison[] {
  return source.map(({ name, ...sum }, index) => {
    const { rows = 0, checksum = '' } = target[index] ?? {};
    return { name, source: sum, target: { rows, checksum } };
  });
}

async function rowsOf(reader: CopyReader): Promise<number> {
  let rows = 0;
  for (const name of COPIED_TABLES) rows += await reader.count(name);
  return rows;
}

async function demandKnown(...readers: readonly CopyReader[]): Promise<void> {
  for (const reader of readers) await reader.demandKnownTables();
}
