/** Rows on their way from one database to another, and the states of a copy. */
import { createHash } from 'node:crypto';

import { counted } from '../../platform/errors.js';
import type { ColumnKind } from '../../schema/columns.js';
import { TABLE_NAMES } from '../../schema/schema.js';
import type { Table } from '../../schema/table.js';
import { DatabaseRefused } from '../database.js';

/**
 * A value in the form that both databases share: whole numbers and instants (milliseconds) in decimal digits,
 * flags as `0` or `1`, texts and JSON unchanged, bytes as bytes.
 */
export type CopyValue = string | Uint8Array | null;
export type CopyRow = readonly CopyValue[];

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function fieldOf(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return `\\\\x${Buffer.from(value).toString('hex')}`;
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (each) => ESCAPES[each] ?? each) : value;
}

/** A row as a line of the text format of PostgreSQL's COPY. No two rows of a table have the same line. */
export function lineOf(row: CopyRow): string {
  return `${row.map(fieldOf).join('\t')}\n`;
}

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

/**
 * JSON with sorted keys and without spaces: the same text for the same value. Duplicate keys: the last one
 * counts.
 */
function canonicalJson(text: string): string {
  return JSON.stringify(JSON.parse(text), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/**
 * SHA-256 over the lines of a table, in the order of its primary key: equal for equal tables of both
 * databases.
 */
export class Checksum {
  readonly #hash = createHash('sha256');
  readonly #canonical: (row: CopyRow) => CopyRow;
  rows = 0;

  constructor(table: Table) {
    this.#canonical = mapKind(table, 'jsonb', canonicalJson);
  }

  add(rows: readonly CopyRow[]): void {
    this.rows += rows.length;
    for (const row of rows) this.#hash.update(lineOf(this.#canonical(row)));
  }

  /** Hexadecimal. */
  end(): string {
    return this.#hash.digest('hex');
  }
}

/** Table that exists only in a database into which a copy began but did not end. */
export const UNFINISHED_TABLE = 'unfinished_copy';

/** Errors: `DatabaseRefused` if a database that is no unfinished copy has rows. */
export function demandEmpty(name: string, rows: number): void {
  if (rows === 0) return;
  throw new DatabaseRefused(
    'exists',
    `${name} has ${counted(rows, 'row')}, and is not an unfinished copy. Nothing was changed: copy into a new or empty database.`,
  );
}

/** Errors: `DatabaseRefused` if the database is an unfinished copy of `source`. */
export function demandFinished(name: string, source: string | null): void {
  if (source === null) return;
  throw new DatabaseRefused(
    'unusable',
    `${name} is an unfinished copy of ${source}. Nothing was changed. Copy again with terminal-gateway db copy, or use another database.`,
  );
}

/** Errors: `DatabaseRefused` if a database lacks migrations, and so may lack tables of this version. */
export function demandCurrent(name: string, pending: readonly string[]): void {
  if (pending.length === 0) return;
  throw new DatabaseRefused(
    'unusable',
    `${name} has not the tables of this version (${pending.join(', ')}). Nothing was changed: apply them with terminal-gateway db migrate.`,
  );
}

/** Tables that are not copied: applied migrations, rate limits, and the mark of a copy. */
const NOT_COPIED = ['applied_migrations', 'rate_limits', UNFINISHED_TABLE];

/**
 * The existing tables that are copied. Errors: `DatabaseRefused` if the database `name` has tables that are not in the
 * schema, which a copy would lose.
 */
export function knownTables(name: string, existing: readonly string[]): readonly string[] {
  const unknown = existing.filter((each) => ![...TABLE_NAMES, ...NOT_COPIED].includes(each));
  if (unknown.length === 0) return TABLE_NAMES.filter((each) => existing.includes(each));
  throw new DatabaseRefused('unusable', `${name}: db copy does not know ${unknown.join(', ')}.`);
}
