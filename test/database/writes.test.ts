import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createUnits, type SystemWriteWork, type Units } from '../../src/database/work.js';
import type { DomainError } from '../../src/platform/errors.js';
import { testClock } from '../support/clock.js';
import { testDatabase } from '../support/database.js';
import { holdWriteLock } from '../support/other-process.js';
import { SYSTEM } from '../support/server.js';

function setUp(): { database: Database; units: Units } {
  const database = testDatabase();
  return { database, units: createUnits(database, testClock()) };
}

const addCompany = async (work: SystemWriteWork, name: string): Promise<void> => {
  await work.db
    .insertInto('companies')
    .values({ name, created_at: new Date(0), updated_at: new Date(0) })
    .execute();
};

const add = (units: Units, name: string) => units.systemWrite(SYSTEM, (work) => addCompany(work, name));

async function companies(database: Database): Promise<string[]> {
  const rows = await database.reads.selectFrom('companies').select('name').orderBy('id').execute();
  return rows.map((row) => row.name);
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => new Error('it was kept'),
    (caught: unknown) => caught as DomainError,
  );
  return 'code' in error ? error.code : String(error);
};

/** Room for a few pages more than there are; null gives it all back. */
async function limitRoom(database: Database, pages: number | null): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.writes);
  const limit = pages === null ? 1_000_000 : (rows[0]?.page_count ?? 0) + pages;
  await sql.raw(`pragma max_page_count = ${limit}`).execute(database.writes);
}

describe('a unit of work that writes', () => {
  it('is kept whole or not at all', async () => {
    const { database, units } = setUp();
    await expect(
      units.systemWrite(SYSTEM, async (work) => {
        await addCompany(work, 'half');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await add(units, 'whole');
    expect(await companies(database)).toEqual(['whole']);
  });

  it('keeps its changes from readers until it is committed', async () => {
    const { database, units } = setUp();
    await units.systemWrite(SYSTEM, async (work) => {
      await addCompany(work, 'soon');
      expect(await companies(database)).toEqual([]);
    });
    expect(await companies(database)).toEqual(['soon']);
  });

  it('waits for the writers that came before it', async () => {
    const { database, units } = setUp();
    const names = Array.from({ length: 200 }, (_, n) => `company ${n}`);
    await Promise.all(names.map((name) => add(units, name)));
    expect(await companies(database)).toEqual(names);
  });

  it('runs what follows a commit only where there was one', async () => {
    const { units } = setUp();
    const done: string[] = [];
    await add(units, 'first');
    const duplicate = units.systemWrite(SYSTEM, async (work) => {
      work.afterCommit(() => done.push('duplicate'));
      await addCompany(work, 'first');
    });
    expect(await codeOf(duplicate)).toBe('taken');
    await units.systemWrite(SYSTEM, async (work) => {
      work.afterCommit(() => done.push('second'));
      await addCompany(work, 'second');
    });
    expect(done).toEqual(['second']);
  });

  it('answers busy beyond a thousand waiting, and goes on serving those', async () => {
    const { database, units } = setUp();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = units.systemWrite(SYSTEM, () => finished);
    await sleep(10);
    const waiting = Array.from({ length: 1_000 }, (_, n) => add(units, `company ${n}`));
    await sleep(10);
    expect(await codeOf(add(units, 'one too many'))).toBe('busy');
    finish();
    await Promise.all([slow, ...waiting]);
    expect(await companies(database)).toHaveLength(1_000);
  });

  it('is refused after five seconds behind one that does not end, and does not block the next', async () => {
    const { database, units } = setUp();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const endless = units.systemWrite(SYSTEM, () => finished);
    await sleep(10);
    expect(await codeOf(add(units, 'impatient'))).toBe('busy');
    finish();
    await endless;
    await add(units, 'next');
    expect(await companies(database)).toEqual(['next']);
  });
});

describe("another process's lock", () => {
  it('is waited for without holding up reads', async () => {
    const { database, units } = setUp();
    await holdWriteLock(database.file, 1_000);
    let waiting = true;
    const isWaiting = (): boolean => waiting;
    const write = add(units, 'patient').finally(() => (waiting = false));
    let reads = 0;
    for (; isWaiting(); reads += 1) {
      expect((await companies(database)).length).toBeLessThan(2);
      await sleep(5);
    }
    await write;
    expect(reads).toBeGreaterThan(10);
    expect(await companies(database)).toEqual(['patient']);
  });

  it('ends all who wait for it after five seconds, not one after the other', async () => {
    const { database, units } = setUp();
    const holder = await holdWriteLock(database.file, 60_000);
    const codes = await Promise.all(Array.from({ length: 5 }, (_, n) => codeOf(add(units, `company ${n}`))));
    expect(codes).toEqual(['busy', 'busy', 'busy', 'busy', 'busy']);
    expect(holder.exitCode).toBeNull();
    expect(database.health.fault).toBeNull();
    holder.kill('SIGKILL');
    await add(units, 'after');
    expect(await companies(database)).toEqual(['after']);
  });
});

describe('a full storage', () => {
  const bytes = Buffer.alloc(100_000, 1);
  const addContent = async (work: SystemWriteWork): Promise<void> => {
    const { id } = await work.db
      .insertInto('contents')
      .values({
        id: 1,
        company_id: 1,
        size: 1,
        crc: '',
        sha256: '',
        created_at: new Date(0),
        released_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const chunk = { company_id: 1, content_id: id, sequence: 0, bytes };
    await work.db.insertInto('content_chunks').values(chunk).execute();
  };

  it('refuses the change with its reason, keeps nothing of it, and accepts changes again once there is space', async () => {
    const { database, units } = setUp();
    await add(units, 'before');
    await limitRoom(database, 3);
    expect(await codeOf(units.systemWrite(SYSTEM, addContent))).toBe('storage_full');
    expect(database.health.fault).toBe('storage_full');
    expect(await companies(database)).toEqual(['before']);
    const contents = await database.reads.selectFrom('contents').selectAll().execute();
    expect(contents).toEqual([]);
    await limitRoom(database, null);
    await units.systemWrite(SYSTEM, addContent);
    expect(database.health.fault).toBeNull();
  });

  it('is never kept in part where the fault is swallowed on the way', async () => {
    const { database, units } = setUp();
    await add(units, 'before');
    await limitRoom(database, 3);
    const swallowing = units.systemWrite(SYSTEM, async (work) => {
      await addCompany(work, 'part');
      await addContent(work).catch(() => undefined);
      await addCompany(work, 'another part').catch(() => undefined);
    });
    expect(await codeOf(swallowing)).toBe('storage_full');
    await limitRoom(database, null);
    expect(await companies(database)).toEqual(['before']);
    await add(units, 'after');
    expect(await companies(database)).toEqual(['before', 'after']);
  });
});

describe('the engine undoing a transaction by itself', () => {
  it('keeps nothing that comes after, and does not hide why', async () => {
    const { database, units } = setUp();
    const work = units.systemWrite(SYSTEM, async (inner) => {
      await addCompany(inner, 'part');
      await sql`insert or rollback into companies (id, name, created_at, updated_at)
        select id, name, 0, 0 from companies`
        .execute(inner.db)
        .catch(() => undefined);
      await addCompany(inner, 'another part');
    });
    expect(await codeOf(work)).toBe('taken');
    expect(await companies(database)).toEqual([]);
    await add(units, 'after');
    expect(await companies(database)).toEqual(['after']);
  });
});

describe('closing', () => {
  it('lets writes that were asked for finish, and refuses new ones and reads', async () => {
    const { database, units } = setUp();
    const asked = [add(units, 'one'), add(units, 'two')];
    await sleep(0);
    const closed = database.close();
    const late = codeOf(add(units, 'three'));
    await Promise.all(asked);
    await closed;
    expect(await late).toBe('busy');
    expect(await codeOf(companies(database))).toBe('storage_unavailable');
  });
});
