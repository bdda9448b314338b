import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { createUnits } from '../../src/database/units.js';
import type { SystemReadWork, Units } from '../../src/database/work.js';
import type { Caller } from '../../src/platform/caller.js';
import { testClock } from '../support/clock.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { startServer, SYSTEM } from '../support/server.js';

const CALLER: Caller = {
  companyId: 1,
  userId: 1,
  tokenId: null,
  role: 'admin',
  scopes: [],
  timeZone: 'UTC',
  ...SYSTEM,
};

function setUp(): { database: Database; units: Units } {
  const database = sqliteDatabase();
  return { database, units: createUnits(database, testClock()) };
}

const names = async ({ db }: SystemReadWork): Promise<string[]> =>
  (await db.selectFrom('companies').select('name').orderBy('id').execute()).map((row) => row.name);

const add = (units: Units, name: string): Promise<void> =>
  units.systemWrite(SYSTEM, async ({ db }) => {
    await db
      .insertInto('companies')
      .values({ name, created_at: new Date(0), updated_at: new Date(0) })
      .execute();
  });

/** Read units that are open until `end`; before each of them a change is committed, so none can share. */
async function openUnits(units: Units, count: number): Promise<{ end: () => void; ended: Promise<unknown> }> {
  let end = (): void => undefined;
  const until = new Promise<void>((resolve) => (end = resolve));
  const opened: Promise<void>[] = [];
  for (let n = 0; n < count; n += 1) {
    await add(units, `before unit ${n}`);
    opened.push(
      units.read(CALLER, async (work) => {
        await names(work);
        await until;
      }),
    );
  }
  return { end, ended: Promise.all(opened) };
}

describe('a unit of work that reads', () => {
  it('sees one state, even if changes are committed between its statements', async () => {
    const { units } = setUp();
    await add(units, 'first');
    const seen = await units.read(CALLER, async (work) => {
      const before = await names(work);
      await add(units, 'second');
      const inside = await units.systemRead(names);
      return { before, inside, after: await names(work) };
    });
    expect(seen).toEqual({ before: ['first'], inside: ['first', 'second'], after: ['first'] });
    expect(await units.read(CALLER, names)).toEqual(['first', 'second']);
  });

  it('sees a commit that another process made before it began', async () => {
    const { database, units } = setUp();
    const other = new Sqlite(database.name);
    await units.read(CALLER, async (work) => {
      expect(await names(work)).toEqual([]);
      other.exec("insert into companies (name, created_at, updated_at) values ('other', 0, 0)");
      expect(await names(work)).toEqual([]);
      expect(await units.read(CALLER, names)).toEqual(['other']);
    });
    other.close();
  });

  it('reads total and rows of a /v1 list at one moment', async () => {
    const server = await startServer();
    const other = new Sqlite(fileOf(server.place));
    await server.acme.client.post('groups', { name: 'before' });
    const unwatch = server.app.database.watchStatements((statement) => {
      if (!statement.includes('from "groups"')) return;
      other.exec(`insert into groups (id, company_id, name, revision, created_at, updated_at, created_via)
        select id + 100, company_id, name || '.', 1, 0, 0, 'api' from groups`);
    });
    const { body } = await server.acme.client.get('groups');
    unwatch();
    other.close();
    await server.stop();
    expect(body).toMatchObject({ pagination: { total_entries: 1 }, groups: [{ group: { name: 'before' } }] });
  });

  it('does not count the beginning and the end of its transaction as statements', async () => {
    const { database, units } = setUp();
    const statements: string[] = [];
    database.watchStatements((statement) => statements.push(statement));
    await units.read(CALLER, names);
    expect(statements).toEqual(['select "name" from "companies" order by "id"']);
  });

  it('may be one of many that begin in the same state', async () => {
    const { units } = setUp();
    await add(units, 'first');
    const all = await Promise.all(
      Array.from({ length: 500 }, () =>
        units.read(CALLER, async (work) => {
          await sleep(20);
          return (await names(work)).length;
        }),
      ),
    );
    expect(new Set(all)).toEqual(new Set([1]));
  });

  it('waits while 48 units keep different states, and is refused after five seconds', async () => {
    const { units } = setUp();
    const { end, ended } = await openUnits(units, 48);
    await add(units, 'last');
    await expect(units.read(CALLER, names)).rejects.toMatchObject({ code: 'busy' });
    const patient = units.read(CALLER, names);
    end();
    expect(await patient).toContain('last');
    await ended;
  });

  it('may need a system unit inside it, however many others are open', async () => {
    const { units } = setUp();
    const { end, ended } = await openUnits(units, 47);
    await add(units, 'last');
    const inside = await units.read(CALLER, async (work) => {
      await names(work);
      await add(units, 'later');
      return await units.systemRead(names);
    });
    expect(inside).toContain('later');
    end();
    await ended;
  });

  it('stops neither writers nor, once the database is closed, its end', async () => {
    const { database, units } = setUp();
    let end = (): void => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    const open = units.read(CALLER, async (work) => {
      await names(work);
      await until;
      return await names(work);
    });
    await add(units, 'meanwhile');
    await database.close();
    end();
    await expect(open).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(statSync(`${database.name}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('LS-02 the write-ahead log', () => {
  it('stays bounded while at every moment some unit reads', async () => {
    const { database, units } = setUp();
    let reading = true;
    const isReading = (): boolean => reading;
    const read = async (offset: number): Promise<void> => {
      await sleep(offset);
      while (isReading()) {
        await units.read(CALLER, async (work) => {
          await names(work);
          await sleep(15);
        });
      }
    };
    const readers = [0, 3, 6, 9, 12].map(read);
    let largest = 0;
    // 90 MB of changes.
    for (let n = 0; n < 1_500; n += 1) {
      await units.systemWrite(SYSTEM, async ({ db }) => {
        const name = `${n}`.padEnd(60_000, '-');
        await db
          .insertInto('companies')
          .values({ name, created_at: new Date(0), updated_at: new Date(0) })
          .execute();
        await db.deleteFrom('companies').execute();
      });
      largest = Math.max(largest, statSync(`${database.name}-wal`).size);
      await sleep(2);
    }
    reading = false;
    await Promise.all(readers);
    expect(largest).toBeLessThan(65_000_000);
    expect(largest).toBeGreaterThan(16_000_000);
  });
});
