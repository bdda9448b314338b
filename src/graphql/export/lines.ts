/** Lines of an export, made of the JSON texts of its records. */
import { LRUCache } from 'lru-cache';

import { MINUTE } from '../../platform/clock.js';
import { cell } from '../../platform/encoding/csv.js';
import { offsetAt, timestampAt } from '../../platform/time-zones.js';
import type { Column } from './columns.js';

export interface LineFormat {
  readonly type: string;
  /** The first line; empty if there is none. */
  readonly head: string;
  readonly line: (record: string) => string;
  readonly last: (end: object) => string;
}

export const FORMATS = ['csv', 'spreadsheet', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

type Json = Record<string, unknown>;

/** `timeZone` is null for UTC, in which records have their times anyway. */
export function lineFormat(format: Format, columns: readonly Column[], timeZone: string | null): LineFormat {
  const zoned = timeZone === null ? null : timesInZone(timeZone);
  if (format === 'ndjson') {
    const instants = columns.filter(({ isInstant }) => isInstant);
    return {
      type: 'application/x-ndjson',
      head: '',
      line:
        zoned === null ? (record) => `${record}\n` : (record) => `${withTimes(record, instants, zoned)}\n`,
      last: (end) => `${JSON.stringify(end)}\n`,
    };
  }
  const cells = columns.map(({ keys, isInstant }) => (record: unknown) => {
    const value = valueAt(record, keys);
    return cell(isInstant && zoned !== null && typeof value === 'string' ? zoned(value) : value);
  });
  return {
    type: 'text/csv',
    head: `${columns.map(({ name }) => cell(name)).join()}\r\n`,
    line: (record) => {
      const value: unknown = JSON.parse(record);
      return `${cells.map((each) => each(value)).join()}\r\n`;
    },
    last: (end) => `# ${JSON.stringify(end)}\r\n`,
  };
}

export function valueAt(record: unknown, keys: readonly string[]): unknown {
  let value = record;
  for (const key of keys) value = (value as Json | null)?.[key];
  return value;
}

function withTimes(record: string, instants: readonly Column[], zoned: (text: string) => string): string {
  const value = JSON.parse(record) as Json;
  for (const { keys } of instants) {
    const owner = valueAt(value, keys.slice(0, -1)) as Json | null | undefined;
    const key = keys.at(-1) ?? '';
    const time = owner?.[key];
    if (owner != null && typeof time === 'string') owner[key] = zoned(time);
  }
  return JSON.stringify(value);
}

/** Clocks are changed at whole quarters of an hour. */
const QUARTER = 15 * MINUTE;

/** Converts times of UTC. The offset of each quarter of an hour is kept: to find it takes longer than all the rest. */
export function timesInZone(timeZone: string): (text: string) => string {
  const offsets = new LRUCache<number, number>({
    max: 4_000,
    memoMethod: (quarter) => offsetAt(timeZone, quarter * QUARTER),
  });
  return (text) => {
    const at = Date.parse(text);
    return timestampAt(at, offsets.memo(Math.floor(at / QUARTER)), true);
  };
}
