import { beforeEach, describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import type { Link } from '../../src/database/ledger-chain.js';
import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import { DAY, systemClock, type Clock } from '../../src/platform/clock.js';
import { ledgerChainHash, type KeyedHash } from '../../src/platform/hashes.js';
import type { TestPlace } from '../support/databases/place.js';
import { insertRows } from '../support/databases/rows.js';
import { pruneNow, SECRET, type Pruning } from '../support/retention.js';
import { SYSTEM } from '../support/server.js';
import { ACME, BETA, databaseOfLedgers, verifierOf } from './ledgers.js';

const HASH = ledgerChainHash(SECRET);
const OTHER = ledgerChainHash('another secret for tests: 0123456789abcdef');
/** Days between two entries. */
const STEP = 10;

let place: TestPlace;
let database: Database;
beforeEach(async () => {
  ({ place, database } = await databaseOfLedgers());
});

const now = systemClock.now().getTime();
let at = now;
const clock: Clock = { now: () => new Date(at), elapsed: () => systemClock.elapsed() };
const unitsWith = (hash: KeyedHash | null): Units => createUnits(database, clock, { chain: hash });

/** Entries of two companies and of none, the last one of today. */
async function append(count: number, hash: KeyedHash | null = HASH, until = 0): Promise<void> {
  for (let n = count - 1; n >= 0; n -= 1) {
    at = now - (until + n * STEP) * DAY;
    await unitsWith(hash).systemWrite(SYSTEM, (work) => {
      for (const companyId of [ACME, BETA, null]) {
        work.ledger.append({ action: 'update', entityType: 'group', entityId: n, companyId, userId: 5 });
      }
      return Promise.resolve();
    });
  }
  at = now;
}

async function prune(period: string, options: Pruning = {}): Promise<number> {
  return (await pruneNow(database, { ledger: period }, options)).ledger ?? 0;
}

const verify = verifierOf(() => unitsWith(null), HASH);

async function sequences(companyId = ACME): Promise<number[]> {
  const rows = await place.sql<{ sequence: number }>(
    'select sequence from ledger where coalesce(company_id, 0) = $1 order by sequence',
    [companyId],
  );
  return rows.map((row) => row.sequence);
}

/** The number of an entry's hash, as it was noted. */
async function linkOf(sequence: number): Promise<Link> {
  const [row] = await place.sql<Link>(
    'select sequence, hash from ledger where company_id = $1 and sequence = $2',
    [ACME, sequence],
  );
  return row ?? { sequence, hash: '' };
}

describe('the beginning of a ledger', () => {
  it('is deleted, and what remains can be verified and says from where', async () => {
    await append(12);
    // Entries of 110, 100, … and 0 days ago.
    expect(await prune('45 days')).toBe(3 * 7);
    for (const companyId of [ACME, BETA, 0]) {
      expect(await sequences(companyId)).toEqual([8, 9, 10, 11, 12]);
      const report = await verify({ companyId });
      expect(report).toMatchObject({ sound: 5, unchained: 0, damages: [], head: { sequence: 12 } });
      expect(report.notes).toEqual([
        expect.stringMatching(
          /^entries 1 to 7 were deleted by retention, the last one of 20.*Z: what is verified begins at entry 8$/,
        ),
      ]);
    }
    await append(2);
    expect(await verify()).toMatchObject({ sound: 7, damages: [] });
    // The last one of before is of today, and keeps what follows it.
    expect(await prune('5 days')).toBe(3 * 4);
    expect(await verify()).toMatchObject({ sound: 3, damages: [] });
    expect(await place.check()).toEqual([]);
    const [counted] = await place.sql(
      "select total from counters where company_id = $1 and name = 'ledger'",
      [ACME],
    );
    expect(counted).toEqual({ total: 3 });
  });

  it('keeps the last entry, however old it is', async () => {
    await append(3, HASH, 1_000);
    expect(await prune('1 day')).toBe(3 * 2);
    expect(await sequences()).toEqual([3]);
    expect(await prune('1 day')).toBe(0);
    expect(await verify()).toMatchObject({ sound: 1, damages: [] });
    expect(await place.check()).toEqual([]);
  });

  it('is deleted in transactions of at most 400 entries', async () => {
    await append(1, null, 500);
    const row = { company_id: ACME, channel: 'api', action: 'update', entity_type: 'group' };
    const old = new Date(now - 400 * DAY);
    await insertRows(
      place,
      'ledger',
      Array.from({ length: 900 }, (_, n) => ({ ...row, sequence: n + 2, at: old })),
    );
    const batches: number[] = [];
    await prune('13 months', {
      onDeleted: (_kind, companyId, count) => void (companyId === ACME && batches.push(count)),
    });
    expect(batches).toEqual([400, 400, 100]);
  });

  it('still shows what else was edited, deleted or put back', async () => {
    await append(12);
    await prune('45 days');
    await place.sql('create table kept as select * from ledger');
    await place.unprotectLedger();
    const edits = [
      [`delete from ledger where company_id = ${ACME} and sequence = 8`, 8],
      [`delete from ledger where company_id = ${ACME} and sequence < 11`, 8],
      [`update ledger set entity_id = 99 where company_id = ${ACME} and sequence = 8`, 8],
      [`update ledger set entity_id = 99 where company_id = ${ACME} and sequence = 9`, 9],
    ] as const;
    for (const [statement, sequence] of edits) {
      await place.sql(statement);
      expect((await verify()).damages[0], statement).toMatchObject({ sequence });
      await place.sql('delete from ledger');
      await place.sql('insert into ledger select * from kept');
    }
    // A forger who claims that retention has deleted more cannot seal the head.
    await place.sql(`update prunings set up_to = 10 where name = 'ledger'`);
    await place.sql(`delete from ledger where company_id = ${ACME} and sequence < 11`);
    expect((await verify()).damages[0]).toMatchObject({ sequence: 8 });
    await place.sql(`update ledger_chains set first_sequence = 11`);
    expect((await verify()).damages[0]).toMatchObject({ sequence: null });
  });

  it('that was noted is compared where that is still possible', async () => {
    await append(12);
    const [seventh, third] = [await linkOf(7), await linkOf(3)];
    await prune('45 days');
    const sound = await verify({ expected: [seventh, third] });
    expect(sound.damages).toEqual([]);
    expect(sound.notes).toContain('entry 3 cannot be compared: retention has deleted it');
    const wrong = { sequence: 7, hash: 'a'.repeat(64) };
    expect((await verify({ expected: [wrong] })).damages).toMatchObject([{ sequence: 7 }]);
  });

  it('may have no hashes, or end a chain that was turned off', async () => {
    await append(3, null, 300);
    await append(3, HASH, 200);
    await append(3, null, 100);
    await append(3, HASH);
    await prune('310 days');
    expect(await verify()).toMatchObject({ damages: [], sound: 6 });
    await prune('205 days');
    expect(await sequences()).toEqual([6, 7, 8, 9, 10, 11, 12]);
    expect(await verify()).toMatchObject({ damages: [], sound: 4 });
    await prune('115 days');
    expect(await verify()).toMatchObject({ damages: [], sound: 3, unchained: 2 });
    await append(2, null);
    await prune('15 days');
    expect(await verify({ isOn: false })).toMatchObject({ damages: [] });
    await append(1);
    expect(await verify()).toMatchObject({ damages: [] });
    expect(await place.check()).toEqual([]);
  });

  it('stays where another token secret has sealed the chain', async () => {
    await append(3, null, 200);
    await append(6, OTHER, 50);
    expect(await prune('30 days')).toBe(3 * 3);
    expect(await sequences()).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await verify({ hash: OTHER })).toMatchObject({ damages: [], sound: 6 });
  });

  it('is all that can be deleted', async () => {
    await append(12);
    await prune('45 days');
    await expect(place.sql('delete from ledger where sequence = 12')).rejects.toThrow(
      /can only be added to|denied/,
    );
    await expect(place.sql('delete from ledger')).rejects.toThrow(/can only be added to|denied/);
    expect(await sequences()).toHaveLength(5);
  });
});
