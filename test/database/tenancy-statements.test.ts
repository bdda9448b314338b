import { beforeEach, describe, expect, it } from 'vitest';

import '../../src/app/wings.js';
import { inCompany } from '../../src/database/company/company-rows.js';
import type { Units } from '../../src/database/work.js';
import { selectAges, selectOld } from '../../src/domain/base/ledger/retention.repository.js';
import { retained } from '../../src/domain/base/ledger/retention.service.js';
import { totalDevices } from '../../src/domain/fleet/device/device.service.js';
import {
  lastPosition,
  lastPositions,
} from '../../src/domain/messages/notification/delivery-list.repository.js';
import { findExpired, makePart } from '../../src/domain/messages/notification/delivery.repository.js';
import { findDueCompanyAfter } from '../../src/domain/messages/notification/dispatch.repository.js';
import { DELIVERY_CHANGES } from '../../src/domain/messages/notification/notification.model.js';
import { recordEach } from '../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { MAX_KINDS } from '../../src/domain/payments/transaction/transaction.model.js';
import { findCredential } from '../../src/domain/people/access-token/access-token.repository.js';
import { deleteMembership, selectMemberships } from '../../src/domain/people/user/user.repository.js';
import { listMembers } from '../../src/domain/people/user/user.service.js';
import { copyChunk, deletePart, findReleased } from '../../src/domain/software/app/app.repository.js';
import { copyContent } from '../../src/domain/software/app/content.service.js';
import { findDeviceCredentials } from '../../src/domain/terminals/terminal/terminal.repository.js';
import { ledgerChainHash } from '../../src/platform/hashes.js';
import { payment } from '../domain/payments/transaction/records.js';
import type { TestPlace } from '../support/databases/place.js';
import { SECRET } from '../support/retention.js';
import { SYSTEM } from '../support/server.js';
import { rowsOfCompany, TWIN } from '../support/two-companies.js';
import { CALLER, openCompanies, outcomeOrError, setUp } from './company-units.js';

const ofBrand = (brand: string) => payment({ card: { brand } });

describe('a statement that names a company', () => {
  let place: TestPlace;
  let units: Units;
  beforeEach(async () => {
    const { remove, ...opened } = await openCompanies(true);
    ({ place, units } = opened);
    return remove;
  });

  it('finds and adds kinds of payments of that company', async () => {
    const brands = Array.from({ length: MAX_KINDS }, (_, index) => `brand ${index}`);
    const other = { ...CALLER, companyId: TWIN, userId: TWIN };
    for (const part of [brands.slice(0, 150), brands.slice(150)]) {
      await units.write(other, (work) => recordEach(work, part.map(ofBrand)));
    }
    await units.write(CALLER, (work) => recordEach(work, ['brand 0', 'new'].map(ofBrand)));
    const kinds = 'select brand from transaction_payment_kinds where company_id = 1 order by brand';
    expect(await place.sql(kinds)).toEqual([{ brand: 'brand 0' }, { brand: 'new' }]);
  });

  it('counts the devices of that company', async () => {
    expect(await units.read({ ...CALLER, companyId: TWIN }, totalDevices)).toMatchObject({ total: 3 });
  });

  it('copies no content of another company', async () => {
    await expect(units.write(CALLER, (work) => copyContent(work, TWIN + 1))).rejects.toThrow(
      'returned no row',
    );
  });

  it('finds the role in the company of the token', async () => {
    const roleOf = async (hash: string) =>
      (await units.systemRead((work) => findCredential(work, hash)))?.role;
    expect([await roleOf('1'), await roleOf('derived')]).toEqual(['admin', 'viewer']);
  });

  it('finds the device of a token in the company of the token', async () => {
    const hashes = ['1 1', `${TWIN} 1`];
    const found = await units.systemRead((work) => findDeviceCredentials(work, hashes));
    expect(hashes.map((hash) => found.get(hash)?.serialNumber)).toEqual(['S', 'Sx']);
  });

  it('makes the deliveries of a part of that company', async () => {
    const others = await rowsOfCompany(place, 'other');
    const part = { notificationId: 2, part: 0 };
    const made = units.systemWrite(SYSTEM, (work) => makePart(inCompany(work, 1), part));
    expect(await outcomeOrError(made)).toBe(1);
    expect(await rowsOfCompany(place, 'other')).toEqual(others);
  });

  it('finds the company of which deliveries are due', async () => {
    await place.sql('update notification_deliveries set due_at = null where company_id = 1');
    expect(await units.systemRead((work) => findDueCompanyAfter(work, 0))).toBe(TWIN);
  });

  it('finds expired notifications by the deliveries of their company', async () => {
    await place.sql('update notifications set expires_at = $1 where company_id = 1', [
      new Date(Date.UTC(2027, 0, 1)),
    ]);
    await place.sql('delete from notification_deliveries where company_id <> 1');
    expect(await units.systemRead((work) => findExpired(work, 'notification'))).toBeUndefined();
  });

  it('copies no chunk of another company', async () => {
    expect(await outcomeOrError(units.write(CALLER, (work) => copyChunk(work, 1, 2, 1)))).toBe(false);
  });

  it('deletes chunks of a released content of that company', async () => {
    const chunk =
      'insert into content_chunks (company_id, content_id, sequence, bytes) values ($1, 1, 0, $2)';
    await place.sql(chunk, [TWIN, Buffer.from('b')]);
    await place.sql('update contents set released_at = $1', [new Date(5)]);
    const others = await rowsOfCompany(place, 'other');
    expect(await units.systemWrite(SYSTEM, (work) => deletePart(work, 1, 1, 1))).toBe(true);
    expect(await rowsOfCompany(place, 'other')).toEqual(others);
  });

  it('keeps the chunks of a content that only another company has released', async () => {
    await place.sql('update contents set released_at = $1 where company_id <> 1', [new Date(5)]);
    expect(await units.systemWrite(SYSTEM, (work) => deletePart(work, 1, 1, 1))).toBe(false);
  });

  it('deletes a released content of that company', async () => {
    for (const company of [1, TWIN]) {
      await place.sql(
        `insert into contents (company_id, id, size, crc, sha256, created_at, released_at)
          values ($1, 60, 1, '0000', 'sum', $2, $2)`,
        [company, new Date(5)],
      );
    }
    const others = await rowsOfCompany(place, 'other');
    await units.systemWrite(SYSTEM, (work) => deletePart(work, 1, 60, 1));
    expect(await rowsOfCompany(place, 'other')).toEqual(others);
    expect(await place.sql('select id from contents where company_id = 1')).toEqual([{ id: 1 }]);
  });

  it('deletes no content that a response of that company refers to, but others', async () => {
    await place.sql('update contents set released_at = $1 where company_id = 1', [new Date(5)]);
    const key = `insert into idempotency_keys
      (company_id, status, scope, key, fingerprint, answer, content_id, created_at)
      values ($1, 200, 's', 'k', 'f', '', 1, $2)`;
    await place.sql(key, [TWIN, new Date(5)]);
    const released = () => units.systemRead((work) => findReleased(work, new Date(6)));
    expect(await released()).toEqual({ id: 1, companyId: 1 });
    await place.sql(key, [1, new Date(5)]);
    expect(await released()).toBeUndefined();
  });

  it('finds the last changes of deliveries of that company', async () => {
    for (const [company, last] of [
      [1, 4],
      [TWIN, 5],
    ] as const) {
      await place.sql('insert into counters (company_id, name, total, last_drawn) values ($1, $2, 0, $3)', [
        company,
        DELIVERY_CHANGES,
        last,
      ]);
    }
    const positions = await units.systemRead((work) => lastPositions(work, [1]));
    expect([...positions]).toEqual([[1, 4]]);
  });

  it('finds the last change of a delivery of that company', async () => {
    await place.sql('insert into counters (company_id, name, total, last_drawn) values ($1, $2, 0, 5)', [
      TWIN,
      DELIVERY_CHANGES,
    ]);
    expect(await units.read(CALLER, lastPosition)).toBe(0);
  });

  it('lists the members of that company', async () => {
    const members = await units.read(CALLER, listMembers);
    expect(members.map(({ id }) => id)).toEqual([1]);
  });

  it('deletes one membership of a user, not the other', async () => {
    const memberships = await units.systemWrite(SYSTEM, async (work) => {
      await deleteMembership(work, { companyId: TWIN, userId: 1 });
      return await selectMemberships(work, [1]);
    });
    expect(memberships.map(({ companyId }) => companyId)).toEqual([1]);
  });

  it('compares the rows of that company with its counters when the database is checked', async () => {
    const wrongCounters = async (): Promise<string[]> =>
      (await place.check()).filter((problem) => problem.includes('counter'));
    expect(await wrongCounters()).toEqual([]);
    await place.sql("update counters set total = total + 1 where company_id = $1 and name = 'devices'", [
      TWIN,
    ]);
    expect(await wrongCounters()).toEqual([`company ${TWIN}: its counter of devices is 4, but it has 3`]);
  });
});

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
