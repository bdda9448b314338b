import { TABLES } from '../../schema/schema.js';
import type { Table } from '../../schema/table.js';
import type { Progress } from '../tools.js';
import { Checksum, type CopyRow } from './rows.js';

/** A database whose tables are read, all in the same state. */
export interface CopySource {
  /** Name without a password. */
  readonly name: string;
  count(table: Table): Promise<number>;
  /** Bytes of a table in the storage, without indexes. */
  bytes(table: Table): Promise<number>;
  /** Rows in the order of the primary key, in batches of bounded size. One table at a time. */
  rows(table: Table): AsyncIterable<readonly CopyRow[]>;
  close(): Promise<void>;
}

/**
 * An empty database in an open transaction, without what makes inserts slow or would change rows, for example
 * triggers. Without `commit`, it stays empty and marked as an unfinished copy.
 */
export interface CopyTarget extends CopySource {
  /** Rows in the order of the primary key. */
  insert(table: Table, rows: readonly CopyRow[]): Promise<void>;
  /** Creates what was left out. Reads then return what `commit` stores. */
  finish(): Promise<void>;
  /** Stores everything, and removes the mark of an unfinished copy in the same transaction. */
  commit(): Promise<void>;
}

interface TableSum {
  readonly rows: number;
  /** SHA-256 in hexadecimal. */
  readonly checksum: string;
}

export interface Comparison {
  readonly name: string;
  readonly source: TableSum;
  readonly target: TableSum;
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
  progress: { readonly copying: Progress; readonly comparing: Progress },
): Promise<readonly Comparison[]> {
  const total = await rowsOf(source);
  const sums = await readAll(source, counting(progress.copying, total), target);
  await target.finish();
  const comparisons = compared(sums, await readAll(target, counting(progress.comparing, total)));
  if (comparisons.every(isEqual)) await target.commit();
  return comparisons;
}

/** Compares all tables of both databases without changing anything. */
export async function compareTables(
  source: CopySource,
  target: CopySource,
  onProgress: Progress,
): Promise<readonly Comparison[]> {
  const onRows = counting(onProgress, (await rowsOf(source)) + (await rowsOf(target)));
  return compared(await readAll(source, onRows), await readAll(target, onRows));
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
  for (const table of TABLES) {
    tables.push({ name: table.name, rows: await source.count(table), bytes: await source.bytes(table) });
  }
  const seconds = tables.reduce(
    (sum, { rows, bytes }) => sum + rows * SECONDS_PER_ROW + bytes * SECONDS_PER_BYTE,
    1,
  );
  return { tables, seconds: Math.ceil(seconds) };
}

type OnRows = (rows: number) => void;

function counting(onProgress: Progress, total: number): OnRows {
  let done = 0;
  return (rows) => onProgress((done += rows), total);
}

async function readAll(
  source: CopySource,
  onRows: OnRows,
  target: CopyTarget | null = null,
): Promise<readonly TableSum[]> {
  const sums: TableSum[] = [];
  for (const table of TABLES) sums.push(await readTable(source, table, onRows, target));
  return sums;
}

/** Reads a table, and stores it in a target, if there is one, while it reads the next batch. */
async function readTable(
  source: CopySource,
  table: Table,
  onRows: OnRows,
  target: CopyTarget | null,
): Promise<TableSum> {
  const checksum = new Checksum(table);
  let storing = Promise.resolve();
  try {
    for await (const rows of source.rows(table)) {
      await storing;
      if (target !== null) storing = target.insert(table, rows);
      // The next `await` throws its error.
      storing.catch(() => undefined);
      checksum.add(rows);
      onRows(rows.length);
    }
  } finally {
    await storing;
  }
  return { rows: checksum.rows, checksum: checksum.end() };
}

function compared(source: readonly TableSum[], target: readonly TableSum[]): readonly Comparison[] {
  const none: TableSum = { rows: 0, checksum: '' };
  return TABLES.map(({ name }, index) => ({
    name,
    source: source[index] ?? none,
    target: target[index] ?? none,
  }));
}

async function rowsOf(reader: CopySource): Promise<number> {
  let rows = 0;
  for (const table of TABLES) rows += await reader.count(table);
  return rows;
}
