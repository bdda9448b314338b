import { afterAll, beforeAll, expect, it } from 'vitest';

import { addCompany, openNodes } from '../../support/postgres/nodes.js';
import { killPrograms } from '../../support/program.js';
import { makeNextVersion } from '../../support/upgrade/next-version.js';
import { rollForthAndBack } from '../../support/upgrade/rolling.js';

const here = openNodes(1);
let next: ReturnType<typeof makeNextVersion>;
beforeAll(() => {
  next = makeNextVersion();
});
afterAll(async () => {
  await killPrograms();
  next.remove();
});

const ROWS = 5_000;

it('CF-16 a version that changes a large table, and its way back, let no request of the other node fail', async () => {
  const { token, caller } = await addCompany(here.node(0));
  await here.admin(`insert into transactions (company_id, id, transaction_type, serial_number, logical_number, app_name, detail,
      status, started_at, recorded_at)
    select ${caller.companyId}, 1000000 + n, 'switch', 'SN-1', '1', 'sale.rb', '', 'success', now(), now()
    from generate_series(1, ${ROWS}) as n`);
  const first = async (query: string) => (await here.admin(query))[0] ?? {};
  const { failures, recorded, longestWait } = await rollForthAndBack({
    url: here.url,
    token,
    serialNumber: 'SN-1',
    next: next.program,
    first,
  });
  expect(failures).toEqual([]);
  expect(longestWait.ms, longestWait.what).toBeLessThan(1_000);
  const [counted] = await here.admin(
    `select count(*)::int as payments, count(batch)::int as filled from transactions`,
  );
  // Payments that nodes of this version record after the backfill have no batch.
  expect(counted).toMatchObject({ payments: ROWS + recorded });
  expect(Number(counted?.filled)).toBeGreaterThanOrEqual(ROWS);
  expect(
    await here.admin(
      "select indisvalid as valid from pg_index where indexrelid = 'transactions_batch'::regclass",
    ),
  ).toEqual([{ valid: true }]);
}, 240_000);
