import { describe, expect, it } from 'vitest';

import '../../src/app/wings.js';
import { selectAges, selectOld } from '../../src/domain/base/ledger/retention.repository.js';
import { retained } from '../../src/domain/base/ledger/retention.service.js';
import { ledgerChainHash } from '../../src/platform/hashes.js';
import { SECRET } from '../support/retention.js';
import { SYSTEM } from '../support/server.js';
import { rowsOfCompany, TWIN } from '../support/two-companies.js';
import { setUp } from './company-units.js';

const before = new Date(Date.UTC(2026, 0, 1));
const OLD = { companyId: 1, before, limit: 50, hash: ledgerChainHash(SECRET) };
/** The chain of a ledger has tests of its own. */
const DELETIONS = retained.filter(({ kind }) => kind !== 'ledger');

const PRUNED = `insert into prunings (company_id, name, up_to, total, newest_at, pruned_at)
  select $1, name, 100, 1, $2, $2 from (select 'transactions' as name union select 'ledger') as names`;

describe('retention of a company', () => {
  it.each(retained)('finds its own $kind', async (kept) => {
    const found = await Promise.all(
      [false, true].map(async (withOther) => {
        const { place, units } = await setUp(withOther);
        if (withOther) await place.sql(PRUNED, [TWIN, new Date(1)]);
        return await units.systemRead(async (work) => [
          await selectAges(work, kept, 0, 1),
          await selectOld(work, kept, 1, before),
        ]);
      }),
    );
    expect(found[1]).toEqual(found[0]);
  });

  it.each(DELETIONS)('deletes its own $kind', async ({ deleteOld }) => {
    const lone = await setUp(false);
    const both = await setUp(true);
    await both.place.sql('update transaction_app_totals set total = 0 where company_id <> 1');
    const ofOthers = async () => [
      await rowsOfCompany(both.place, 'other'),
      await both.place.sql('select * from transaction_app_totals where company_id <> 1 order by span, start'),
    ];
    const others = await ofOthers();
    const expected = await lone.units.systemWrite(SYSTEM, (work) => deleteOld(work, OLD));
    expect(expected).toBeGreaterThan(0);
    expect(await both.units.systemWrite(SYSTEM, (work) => deleteOld(work, OLD))).toBe(expected);
    expect(await rowsOfCompany(both.place, 'first')).toEqual(await rowsOfCompany(lone.place, 'first'));
    expect(await ofOthers()).toEqual(others);
  });
});
