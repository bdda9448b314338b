import fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import { systemClock } from '../../src/platform/clock.js';
import { KeyedHash } from '../../src/platform/hashes.js';
import type { SqlValue, TestPlace } from '../support/databases/place.js';
import { SYSTEM } from '../support/server.js';
import { ACME, BETA, databaseOfLedgers, verifierOf } from './ledgers.js';

const HASH = new KeyedHash('a secret for tests only: 0123456789abcdef', 'ledger chain');
const ENTRIES = 12;

let place: TestPlace;
let database: Database;
let units: Units;
beforeEach(async () => {
  ({ place, database } = await databaseOfLedgers());
  units = unitsWith(HASH);
});

const unitsWith = (hash: KeyedHash | null): Units => createUnits(database, systemClock, { chain: hash });

/** Entries of two companies and of none, alternately, in transactions of several. */
async function append(count: number, by = units): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await by.systemWrite({ ...SYSTEM, ip: '192.0.2.1', requestId: `r${n}` }, (work) => {
      for (const companyId of [ACME, BETA, ACME, null]) {
        work.ledger.append({
          action: 'update',
          entityType: 'group',
          entityId: n + 1,
          companyId,
          userId: 5,
          before: { name: `before ${n}` },
          after: { name: `after ${n}` },
        });
      }
      return Promise.resolve();
    });
  }
}

const verify = verifierOf(() => units, HASH);

/** An editor of the stored rows, whom neither triggers nor indexes hold back. */
async function edit(statement: string, values: readonly SqlValue[] = []): Promise<void> {
  await place.unprotectLedger();
  await place.sql(statement, values);
}

const OF_ACME = `company_id = ${ACME}`;
/** Another value of each column. */
const FIELDS: Readonly<Record<string, SqlValue>> = {
  company_id: BETA,
  at: new Date(1),
  user_id: 6,
  token_id: 17,
  job_id: 3,
  channel: 'interface',
  action: 'delete',
  entity_type: 'device',
  entity_id: null,
  before: '{"name":"another"}',
  after: null,
  request_id: 'another',
  ip: null,
  hash: '0'.repeat(64),
};

describe('AT-35 the chain of ledger entries', () => {
  it('is sound for each company and for none, while more is written', async () => {
    await append(ENTRIES);
    for (const [companyId, sound] of [
      [ACME, 2 * ENTRIES],
      [BETA, ENTRIES],
      [0, ENTRIES],
    ] as const) {
      expect(await verify({ companyId })).toMatchObject({ sound, unchained: 0, damages: [], notes: [] });
    }
    const [, report] = await Promise.all([append(20), verify()]);
    expect(report.damages).toEqual([]);
  });

  it('covers every column of the ledger but its place among those of all companies', async () => {
    await append(1);
    const [row] = await place.sql('select * from ledger');
    expect(Object.keys(row ?? {}).toSorted()).toEqual(
      ['position', 'sequence', ...Object.keys(FIELDS)].toSorted(),
    );
  });

  it.each(Object.keys(FIELDS))('shows the first entry with an edited %s', async (field) => {
    await append(ENTRIES);
    await place.sql('create table kept as select * from ledger');
    const kept = `select ${field} from kept where kept.position = ledger.position`;
    for (const sequence of [1, randomInt(2, 2 * ENTRIES), 2 * ENTRIES]) {
      const entry = `${OF_ACME} and sequence = ${sequence}`;
      const [row] = await place.sql<{ position: number }>(`select position from ledger where ${entry}`);
      await edit(`update ledger set ${field} = $1 where ${entry}`, [FIELDS[field] ?? null]);
      expect((await verify()).damages[0]?.sequence).toBe(sequence);
      await place.sql(`update ledger set ${field} = (${kept}) where position = $1`, [row?.position ?? 0]);
    }
    expect((await verify()).damages).toEqual([]);
    await place.sql('drop table kept');
  });

  it('shows entries that were deleted, anywhere', async () => {
    await append(ENTRIES);
    const all = 2 * ENTRIES;
    const range = fc.tuple(fc.integer({ min: 1, max: all }), fc.integer({ min: 0, max: all }));
    await fc.assert(
      fc.asyncProperty(range, async ([first, more]) => {
        const last = Math.min(first + more, all);
        await place.sql('create table kept as select * from ledger');
        await edit(`delete from ledger where ${OF_ACME} and sequence between ${first} and ${last}`);
        const { damages } = await verify();
        expect(damages[0]).toMatchObject({ sequence: first });
        expect(damages[0]?.problem).toContain(first === last ? `entry ${first} is` : `${first} to ${last}`);
        expect(damages[0]?.problem.includes('cut off')).toBe(last === all);
        await place.sql('delete from ledger');
        await place.sql('insert into ledger select * from kept');
        await place.sql('drop table kept');
      }),
      { numRuns: 10 },
    );
  });

  it('shows entries that were exchanged, renumbered, inserted or repeated', async () => {
    const cases = [
      [`update ledger set sequence = 15 - sequence where ${OF_ACME} and sequence in (7, 8)`, 7],
      [`update ledger set sequence = sequence - 1 where ${OF_ACME} and sequence > 9`, 9],
      [
        `update ledger set sequence = sequence + 1 where ${OF_ACME} and sequence > 4;
         insert into ledger (company_id, sequence, at, channel, action, entity_type, hash)
         select company_id, 5, at, channel, action, entity_type, hash from ledger where ${OF_ACME} and sequence = 4`,
        5,
      ],
      [
        `insert into ledger (company_id, sequence, at, channel, action, entity_type, hash)
         select company_id, 25, at, 'api', 'create', 'group', '${'a'.repeat(64)}' from ledger
         where ${OF_ACME} and sequence = 1`,
        25,
      ],
      [
        `insert into ledger (company_id, sequence, at, channel, action, entity_type)
         select company_id, 25, at, 'api', 'create', 'group' from ledger where ${OF_ACME} and sequence = 1`,
        25,
      ],
      [`update ledger set position = position + 1000 where ${OF_ACME} and sequence = 3`, 4],
    ] as const;
    await append(ENTRIES);
    await place.sql('create table kept as select * from ledger');
    for (const [statements, sequence] of cases) {
      for (const statement of statements.split(';')) await edit(statement);
      expect((await verify()).damages[0], statements).toMatchObject({ sequence });
      await place.sql('delete from ledger');
      await place.sql('insert into ledger select * from kept');
    }
  });

  it('shows hashes that were removed, in the middle, to the end, or all with their head', async () => {
    await append(ENTRIES);
    const { head } = await verify();
    await edit(`update ledger set hash = null where ${OF_ACME} and sequence > 20`);
    expect((await verify({ isOn: false })).damages).toMatchObject([{ sequence: 21 }]);
    await edit(`update ledger set hash = null where ${OF_ACME} and sequence < 9 and sequence > 5`);
    expect((await verify()).damages[0]).toMatchObject({ sequence: 6 });
    await edit(`delete from ledger_chains where ${OF_ACME}`);
    expect((await verify()).damages).toContainEqual({
      sequence: null,
      problem: 'the head of the chain was removed',
    });
    await edit(`update ledger set hash = null where ${OF_ACME}`);
    const expected = head === null ? [] : [head];
    expect((await verify({ isOn: false, expected })).damages).toMatchObject([{ sequence: 24 }]);
  });

  it('shows an edited head, and a history that was put back to an earlier one if its head was noted', async () => {
    await append(3);
    await place.sql('create table earlier as select * from ledger_chains');
    await append(3);
    const { head } = await verify();
    const expected = head === null ? [] : [head];
    expect((await verify({ expected })).damages).toEqual([]);
    await edit(`delete from ledger where ${OF_ACME} and sequence > 6`);
    await edit(`update ledger_chains set sequence = 6 where ${OF_ACME}`);
    expect((await verify()).damages[0]).toEqual({
      sequence: null,
      problem: 'the head of the chain was edited',
    });
    await edit('delete from ledger_chains');
    await edit('insert into ledger_chains select * from earlier');
    expect((await verify()).damages).toEqual([]);
    expect((await verify({ expected })).damages).toMatchObject([{ sequence: 12 }]);
  });

  it('begins when it is turned on, ends when it is turned off, and goes on from its last entry', async () => {
    await append(2, unitsWith(null));
    expect(await verify({ isOn: false })).toMatchObject({ sound: 0, unchained: 4, head: null, damages: [] });
    await append(2);
    expect(await verify()).toMatchObject({ notes: ['the chain begins at entry 5'], damages: [] });
    await append(1, unitsWith(null));
    const ended = 'the chain ends at entry 8: entries 9 to 10 are not chained';
    expect(await verify({ isOn: false })).toMatchObject({ sound: 4, unchained: 6, damages: [] });
    expect((await verify({ isOn: false })).notes).toContain(ended);
    expect((await verify()).damages).toMatchObject([{ sequence: 9 }]);
    await append(1);
    expect((await verify()).notes).toContain(
      'the chain begins again at entry 11: entries 9 to 10 are not chained',
    );
    await edit(`delete from ledger where ${OF_ACME} and sequence = 9`);
    expect((await verify()).damages).toMatchObject([{ sequence: 9 }]);
  });

  it('can be verified from an entry on, and not with another secret, with which it begins anew', async () => {
    await append(ENTRIES);
    await edit(`update ledger set action = 'x' where ${OF_ACME} and sequence = 3`);
    expect(await verify({ from: 5 })).toMatchObject({ sound: 20, damages: [] });
    expect((await verify({ from: 3 })).damages).toMatchObject([{ sequence: 3 }]);
    const other = new KeyedHash('another secret', 'ledger chain');
    expect((await verify({ hash: other })).damages).toMatchObject([{ sequence: null }]);
    await append(1, unitsWith(other));
    expect(await verify({ hash: other })).toMatchObject({ sound: 2, unchained: 24, damages: [] });
    await edit(`update ledger set hash = '${'1'.repeat(64)}' where ${OF_ACME} and sequence = 24`);
    expect((await verify({ hash: other })).damages).toMatchObject([{ sequence: 24 }]);
  });

  it('costs two statements for each unit of work', async () => {
    const statements: string[] = [];
    database.watchStatements((text) => statements.push(text));
    await append(1, unitsWith(null));
    const without = statements.splice(0).length;
    await append(1);
    expect(statements.splice(0)).toHaveLength(without + 2);
  });
});
