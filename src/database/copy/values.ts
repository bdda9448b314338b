import { createHash } from 'node:crypto';

import type { ColumnKind } from '../../schema/columns.js';
import type { TableShape } from './tables.js';

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

/** Approximate bytes of the values of a row. */
export function bytesOf(row: CopyRow): number {
  let bytes = 0;
  for (const value of row) bytes += value?.length ?? 0;
  return bytes;
}

/** Returns a function that replaces the values of a row in columns of one kind. */
export function mapKind(
  { columns }: TableShape,
  kind: ColumnKind,
  map: (value: string) => string,
): (row: CopyRow) => CopyRow {
  const isOfKind = columns.map((column) => column.kind === kind);
  if (!isOfKind.includes(true)) return (row) => row;
  return (row) =>
    row.map((value, index) => (isOfKind[index] === true && typeof value === 'string' ? map(value) : value));
}

/**
 * SHA-256 over the lines of a table, in the order of its primary key: equal for equal tables of both
 * databases.
 */
export class Checksum {
  readonly #hash = createHash('sha256');
  readonly #canonical: (row: CopyRow) => CopyRow;
  rows = 0;

  constructor(shape: TableShape) {
    this.#canonical = mapKind(shape, 'jsonb', canonicalJson);
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
