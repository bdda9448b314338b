import { counted } from '../platform/errors.js';
/** Sizes of tables, and the ages of their rows, in the output of `db info`. */
import type { StorageSizes } from './database.js';
import type { Oldest } from './totals/oldest.js';

/** Number of tables in the text; the JSON has all. */
const LARGEST = 10;

export function storageFields(sizes: StorageSizes | null, oldest: Oldest): Readonly<Record<string, unknown>> {
  return { tables: sizes?.tables ?? null, free_bytes: sizes?.freeBytes ?? null, oldest };
}

export function storageLines(sizes: StorageSizes | null, oldest: Oldest): readonly string[] {
  const largest = Object.entries(sizes?.tables ?? {})
    .toSorted(([, a], [, b]) => b.bytes - a.bytes)
    .slice(0, LARGEST);
  const free = sizes?.freeBytes ?? null;
  return [
    ...largest.map(([name, { bytes, rows }]) => `table ${name}: ${bytes} bytes, ${counted(rows, 'row')}`),
    ...(free === null ? [] : [`free in the file: ${free} bytes`]),
    ...Object.entries(oldest).map(([kind, at]) => `oldest of ${kind}: ${at?.toISOString() ?? 'none'}`),
  ];
}
