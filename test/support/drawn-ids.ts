import type Sqlite from 'better-sqlite3';

import { NUMBERED_TABLES } from '../../src/database/counters.js';

const NUMBERED: ReadonlySet<string> = new Set(NUMBERED_TABLES);

/** Draws ids for rows that are written by plain SQL; returns the number before the first of them. */
export function drawnBefore(
  database: Sqlite.Database,
  table: string,
  company: number,
  count: number,
): number {
  const last = database
    .prepare<[number, string, number], { last: number }>(
      `insert into counters (company_id, name, total, last_drawn) values (?, ?, 0, ?)
       on conflict (company_id, name) do update set last_drawn = last_drawn + excluded.last_drawn
       returning last_drawn as last`,
    )
    .get(company, table, count)?.last;
  return (last ?? 0) - count;
}

/** Whether the ids of a table count for each company. */
export const isNumbered = (table: string): boolean => NUMBERED.has(table);
