/** Copies of databases from and into files and servers: `sqlite/copy.ts` and `postgres/copy.ts` read and store the rows. */
import { createHash } from 'node:crypto';

import { counted } from '../platform/errors.js';
import { TABLE_NAMES, TABLES } from '../schema/schema.js';
import type { ColumnKind, Table } from '../schema/table.js';
import { DatabaseRefused, unusable } from './database.js';
import type { Progress } from './tools.js';

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

/** An empty database in an open transaction, without triggers; it stays empty and unfinished without `commit`. */
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
 * Copies all tables, reads the target again, and commits if nothing differs. Resolves to the tables of both. In one
 * transaction: with several, a crash would leave rows behind and triggers off. Errors: `DatabaseRefused`; faults of a
 * storage.
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
export async function compareTables(source: CopySource, target: CopySource, onProgress: Progress) {
  const onRows = counting(onProgress, (await rowsOf(source)) + (await rowsOf(target)));
  return compared(await readAll(source, onRows), await readAll(target, onRows));
}

export const isEqual = ({ source, target }: Comparison): boolean =>
  source.rows === target.rows && source.checksum === target.checksum;

/** Measured duration of a copy and its comparison, on two processors. Rows with many indexes take longest. */
const SECONDS_PER_ROW = 60e-6;
const SECONDS_PER_BYTE = 30e-9;

/** Tables that would be copied, and the approximate duration in seconds. */
export async function estimate(source: CopySource) {
  const tables: { readonly name: string; readonly rows: number; readonly bytes: number }[] = [];
  for (const table of TABLES) {
    tables.push({ name: table.name, rows: await source.count(table), bytes: await source.bytes(table) });
  }
  const each = tables.map(({ rows, bytes }) => rows * SECONDS_PER_ROW + bytes * SECONDS_PER_BYTE);
  return { tables, seconds: Math.ceil(each.reduce((sum, seconds) => sum + seconds, 1)) };
}

type OnRows = (rows: number) => void;

function counting(onProgress: Progress, total: number): OnRows {
  let done = 0;
  return (rows) => onProgress((done += rows), total);
}

async function readAll(source: CopySource, onRows: OnRows, target: CopyTarget | null = null) {
  const sums: TableSum[] = [];
  for (const table of TABLES) sums.push(await readTable(source, table, onRows, target));
  return sums;
}

/**
 * Reads a table, and stores it in a target, if there is one, while it reads the next batch. The checksum is that of the
 * lines of the table, in the order of its primary key: equal for equal tables of both databases.
 */
async function readTable(source: CopySource, table: Table, onRows: OnRows, target: CopyTarget | null) {
  const hash = createHash('sha256');
  const canonical = mapKind(table, 'jsonb', canonicalJson);
  let count = 0;
  let storing = Promise.resolve();
  try {
    for await (const rows of source.rows(table)) {
      await storing;
      if (target !== null) storing = target.insert(table, rows);
      // The next `await` throws its error.
      storing.catch(() => undefined);
      for (const row of rows) hash.update(lineOf(canonical(row)));
      count += rows.length;
      onRows(rows.length);
    }
  } finally {
    await storing;
  }
  return { rows: count, checksum: hash.digest('hex') };
}

const NONE: TableSum = { rows: 0, checksum: '' };
const compared = (sources: readonly TableSum[], targets: readonly TableSum[]): readonly Comparison[] =>
  TABLES.map(({ name }, index) => ({ name, source: sources[index] ?? NONE, target: targets[index] ?? NONE }));

async function rowsOf(reader: CopySource): Promise<number> {
  let rows = 0;
  for (const table of TABLES) rows += await reader.count(table);
  return rows;
}

/** A value of both databases: numbers and instants (ms) as digits, flags as `0` or `1`, texts unchanged, bytes. */
export type CopyValue = string | Uint8Array | null;
export type CopyRow = readonly CopyValue[];

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function fieldOf(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return `\\\\x${Buffer.from(value).toString('hex')}`;
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (each) => ESCAPES[each] ?? each) : value;
}

/** A row as a line of the text format of PostgreSQL's COPY. No two rows of a table have the same line. */
export const lineOf = (row: CopyRow): string => `${row.map(fieldOf).join('\t')}\n`;

/** Approximate bytes of the values of a row. */
export function bytesOf(row: CopyRow): number {
  return row.reduce((bytes, value) => bytes + (value?.length ?? 0), 0);
}

/** Returns a function that replaces the values of a row in columns of one kind. */
export function mapKind(
  { columns }: Table,
  kind: ColumnKind,
  map: (value: string) => string,
): (row: CopyRow) => CopyRow {
  const isOfKind = Object.values(columns).map((column) => column.kind === kind);
  if (!isOfKind.includes(true)) return (row) => row;
  return (row) =>
    row.map((value, index) => (isOfKind[index] === true && typeof value === 'string' ? map(value) : value));
}

/** JSON with sorted keys and without spaces: the same text for the same value. Duplicate keys: the last one counts. */
function canonicalJson(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** Table that exists only in a database into which a copy began but did not end. */
export const UNFINISHED_TABLE = 'unfinished_copy';

/** Errors: `DatabaseRefused` if a database that is no unfinished copy has rows. */
export function requireEmpty(name: string, rows: number): void {
  if (rows === 0) return;
  throw new DatabaseRefused(
    'exists',
    `${name} has ${counted(rows, 'row')}, and is not an unfinished copy. Nothing was changed: copy into a new or empty database.`,
  );
}

/** Errors: `DatabaseRefused` if the database is an unfinished copy of `source`. */
export function requireCompleteCopy(name: string, source: string | null): void {
  if (source === null) return;
  throw unusable(
    `${name} is an unfinished copy of ${source}. Nothing was changed. Copy again with terminal-gateway db copy, or use another database.`,
  );
}

/** Errors: `DatabaseRefused` if a database lacks migrations, and so may lack tables of this version. */
export function requireCurrent(name: string, pending: readonly string[]): void {
  if (pending.length === 0) return;
  throw unusable(
    `${name} has not the tables of this version (${pending.join(', ')}). Nothing was changed: apply them with terminal-gateway db migrate.`,
  );
}

/** Tables that are not copied: applied migrations, rate limits, and the mark of a copy. */
const NOT_COPIED = ['applied_migrations', 'rate_limits', UNFINISHED_TABLE];

/** The existing tables that are copied. Errors: `DatabaseRefused` for tables that are not in the schema. */
export function knownTables(name: string, existing: readonly string[]): readonly string[] {
  const unknown = existing.filter((each) => ![...TABLE_NAMES, ...NOT_COPIED].includes(each));
  if (unknown.length === 0) return TABLE_NAMES.filter((each) => existing.includes(each));
  throw unusable(`${name}: db copy does not know ${unknown.join(', ')}.`);
}
