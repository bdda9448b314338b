import { sql, type QueryExecutorProvider } from 'kysely';

import { runCached } from './cached-query.js';

/** Tables whose ids count from 1 in each company, so that their gaps tell nothing of other companies. */
export const NUMBERED_TABLES = [
  ...['access_tokens', 'groups', 'logical_numbers', 'devices', 'apps', 'contents', 'app_versions', 'files'],
  ...['parameters', 'metacontents', 'notifications', 'notification_deliveries', 'transactions'],
] as const;

/** Of whom a number of consecutive ids is drawn; 0 stands for no company. */
export interface Draw {
  readonly companyId: number;
  readonly count: number;
}

/**
 * Draws consecutive ids of a table for each of the companies, in one statement; returns the first of each, by company.
 * An id is never drawn twice, even if its record was deleted. `counters.last_drawn` keeps the last one: the ids of a
 * company become visible in ascending order, because units of work of one company write one after the other.
 */
export async function drawIds(
  db: QueryExecutorProvider,
  table: string,
  draws: readonly Draw[],
): Promise<ReadonlyMap<number, number>> {
  if (draws.length === 0) return new Map();
  const parameters = draws.flatMap(({ companyId, count }) => [companyId, table, count]);
  const rows = await runCached<{ company_id: number; last_drawn: number }>(
    db,
    `draw ids for ${draws.length}`,
    parameters,
    () => sql`insert into counters (company_id, name, total, last_drawn)
      values ${sql.join(draws.map(({ companyId, count }) => sql`(${companyId}, ${table}, 0, ${count})`))}
      on conflict (company_id, name) do update set last_drawn = last_drawn + excluded.last_drawn
      returning company_id, last_drawn`,
  );
  const last = new Map(rows.map((row) => [row.company_id, row.last_drawn]));
  return new Map(draws.map(({ companyId, count }) => [companyId, (last.get(companyId) ?? 0) - count + 1]));
}
