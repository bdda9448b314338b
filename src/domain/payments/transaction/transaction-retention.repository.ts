import { sql } from 'kysely';

import { specialSql } from '../../../database/company/company-rows.js';
import * as prunings from '../../../database/prunings.js';
import { inIds, inList } from '../../../database/storage.js';
import type { SystemWriteWork } from '../../../database/work.js';
import { MINUTE } from '../../../platform/clock.js';
import { inParts } from '../../../platform/concurrency/event-loop.js';
import { TOTAL_SPANS } from '../../../platform/timestamps.js';
import { ROLLUPS } from '../../../schema/rollups.js';

export const transactionRetention: prunings.Retained = {
  kind: 'transactions',
  table: 'transactions',
  rowsPerUnit: 200,
  oldest: sql`select t.recorded_at from transactions as t
    where t.company_id = c.id and t.id > ${prunings.deletedUpTo('transactions')} order by t.id limit 1`,
  aged: (companyId, before) =>
    sql`select recorded_at as at from transactions where company_id = ${companyId} and recorded_at < ${before}`,
  deleteOld: deleteOldTransactions,
};

interface OldTransaction {
  readonly id: number;
  readonly recorded_at: number;
  readonly started_at: number;
  readonly app_name: string;
}

/** Deletes the oldest ones up to the first that must be kept; triggers subtract them from totals. Returns how many. */
async function deleteOldTransactions(work: SystemWriteWork, { companyId, before, limit }: prunings.OldBatch) {
  const { db } = specialSql(work);
  const after = await prunings.prunedUpTo(db, companyId, 'transactions');
  const { rows } = await sql<OldTransaction>`select id, recorded_at, started_at, app_name from transactions
    where company_id = ${companyId} and id > ${after} order by id limit ${limit}`.execute(db);
  const young = rows.findIndex((row) => row.recorded_at >= before.getTime());
  const old = young === -1 ? rows : rows.slice(0, young);
  const last = old.at(-1);
  if (last === undefined) return 0;
  for await (const part of inParts(old, prunings.ROWS_PER_DELETE)) {
    await sql`delete from transactions where company_id = ${companyId}
      and id >= ${part[0]?.id} and id <= ${part.at(-1)?.id}`.execute(db);
  }
  await deleteEmptyTotals(work, companyId, old);
  const pruned = { count: old.length, upTo: last.id, newestAt: new Date(last.recorded_at) };
  await prunings.notePruning(db, companyId, 'transactions', { ...pruned, now: work.now });
  return old.length;
}

async function deleteEmptyTotals(work: SystemWriteWork, companyId: number, old: readonly OldTransaction[]) {
  const { db } = specialSql(work);
  const apps = [...new Set(old.map((row) => row.app_name))];
  for (const span of TOTAL_SPANS) {
    const length = span * MINUTE;
    const starts = [...new Set(old.map((row) => Math.trunc(row.started_at / length) * span))];
    for (const { name: table, kind } of ROLLUPS) {
      const ofApps = kind.includes('app_name') ? sql`and app_name ${inList('text', apps)}` : sql``;
      await sql`delete from ${sql.table(table)} where company_id = ${companyId}
        and span = ${span} and start ${inIds(starts)} ${ofApps} and total = 0`.execute(db);
    }
  }
}
