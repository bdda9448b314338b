import { sql } from 'kysely';

import { runCached } from '../../../database/company/cached-query.js';
import { specialSql } from '../../../database/company/special-sql.js';
import { instant } from '../../../database/storage.js';
import { MANY_ROWS, type ReadWork } from '../../../database/work.js';
import type { TimeRange } from '../time-range.model.js';

/** What a list may examine: the daily totals, all transactions, or those with one number, of a time range. */
export type Extent =
  | { readonly of: 'days' | 'transactions' }
  | { readonly of: 'serial_number' | 'logical_number'; readonly value: string };

/** Whether there are more than `MANY_ROWS`; examines no more than these. `range` is in days for `days`, otherwise in ms. */
export async function hasManyRows(work: ReadWork, extent: Extent, { from, to }: TimeRange): Promise<boolean> {
  const { db, companyId } = specialSql(work);
  const own = 'value' in extent ? [extent.value] : [];
  const isDays = extent.of === 'days';
  const [begin, end] = isDays ? [from, to] : [from, to].map((at) => instant.toColumn(new Date(at)));
  const parameters = [companyId, ...own, begin, end, MANY_ROWS];
  const rows = await runCached(db, `transactions many ${extent.of}`, parameters, () => {
    const time = sql.ref(isDays ? 'day' : 'started_at');
    return sql`select 1 from ${sql.table(isDays ? 'transaction_days' : 'transactions')}
      where company_id = ${companyId} ${'value' in extent ? sql`and ${sql.ref(extent.of)} = ${extent.value}` : sql``}
        and ${time} >= ${begin} and ${time} < ${end} limit 1 offset ${MANY_ROWS}`;
  });
  return rows.length > 0;
}
