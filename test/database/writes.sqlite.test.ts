import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import type { SystemWriteWork } from '../../src/database/work.js';
import { holdWriteLock, inOtherProcess } from '../support/other-process.js';
import { SYSTEM } from '../support/server.js';
import { add, addCompany, codeOf, companies, openUnits } from './added-companies.js';

/** Room for a few pages more than there are; null gives it all back. */
async function limitRoom(database: Database, pages: number | null): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.writes);
  const limit = pages === null ? 1_000_000 : (rows[0]?.page_count ?? 0) + pages;
  await sql.raw(`pragma max_page_count = ${limit}`).execute(database.writes);
}

describe("another process's lock", () => {
  it('is waited for without holding up reads', async () => {
    const { database, units } = await openUnits();
    await holdWriteLock(database.name, 1_000);
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
    const { database, units } = await openUnits();
    const holder = await holdWriteLock(database.name, 60_000);
    const codes = await Promise.all(Array.from({ length: 5 }, (_, n) => codeOf(add(units, `company ${n}`))));
    expect(codes).toEqual(['busy', 'busy', 'busy', 'busy', 'busy']);
    expect(holder.exitCode).toBeNull();
    expect(database.health.fault).toBeNull();
    holder.kill('SIGKILL');
    await add(units, 'after');
    expect(await companies(database)).toEqual(['after']);
  });
});

describe('another process', () => {
  it('can write while units wait without an end', async () => {
    const { database, units } = await openUnits();
    let [isWriting, count] = [true, 0];
    const writers = Array.from({ length: 300 }, async () => {
      while (isWriting) await add(units, `company ${(count += 1)}`);
    });
    await inOtherProcess(
      `const database = new (require('better-sqlite3'))(process.argv[1], { timeout: 20000 });
      for (const name of ['other 1', 'other 2', 'other 3'])
        database.prepare('insert into companies (name, created_at, updated_at) values (?, 0, 0)').run(name);
      process.stdout.write('written');
      setInterval(() => undefined, 1000);`,
      database.name,
    );
    const before = count;
    isWriting = false;
    await Promise.all(writers);
    expect(before).toBeGreaterThan(300);
    expect(await companies(database)).toEqual(expect.arrayContaining(['other 1', 'other 2', 'other 3']));
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
    const { database, units } = await openUnits();
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
    const { database, units } = await openUnits();
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
    const { database, units } = await openUnits();
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
