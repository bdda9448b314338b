import { expect } from 'vitest';

import { TOTAL_SPANS } from '../../src/platform/timestamps.js';
import { ROLLUPS } from '../../src/schema/rollups.js';

export const STATUSES = ['success', 'running', 'fail'];
export const OUTCOMES = ['approved', 'denied', 'cancelled'];

/** Names of counters with the tables whose rows they count. */
type Counted = readonly { readonly table: string; readonly counter: string }[];

/** Compares the totals that triggers keep with totals computed from the rows; ignores totals of 0. */
export async function expectTrueTotals(
  run: (query: string) => Promise<readonly unknown[]>,
  counted: Counted,
  milliseconds: string,
): Promise<void> {
  const sorted = async (query: string) => (await run(query)).map((row) => JSON.stringify(row)).sort();
  const expectSame = async (kept: string, actual: string): Promise<void> =>
    expect(await sorted(kept), kept).toEqual(await sorted(actual));

  const counts = counted.map(
    ({ table, counter }) =>
      `select company_id, '${counter}' as name, count(*) as total from ${table}
        where company_id is not null group by company_id`,
  );
  const kept = 'select company_id, name, total from counters where total <> 0';
  await expectSame(kept, counts.join(' union all '));

  const amounts = OUTCOMES.map((outcome) => `${outcome}_amount`);
  const columns = ['total', 'amount_total', ...amounts];
  const sums = [
    'count(*) as total',
    'coalesce(sum(nullif(amount, -1)), 0) as amount_total',
    ...OUTCOMES.map(
      (outcome) =>
        `coalesce(sum(nullif(amount, -1)) filter (where payment_outcome = '${outcome}'), 0) as ${outcome}_amount`,
    ),
  ];
  for (const { name, kind } of ROLLUPS) {
    const kinds = kind.join();
    const isKept = columns.map((column) => `${column} <> 0`).join(' or ');
    const actual = TOTAL_SPANS.map(
      (span) => `select company_id, ${span} as span, ${milliseconds} / ${span * 60_000} * ${span} as start,
        ${kinds}, ${sums.join()} from transactions group by 1, 2, 3, ${kinds}`,
    );
    await expectSame(
      `select company_id, span, start, ${kinds}, ${columns.join()} from ${name} where ${isKept}`,
      actual.join(' union all '),
    );
  }
}
