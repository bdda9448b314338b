import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { Statements } from '../../src/database/sqlite/connection.js';
import { openFile } from '../../src/database/sqlite/file/open-file.js';
import { createUnits } from '../../src/database/units.js';
import type { SystemReadWork, Units } from '../../src/database/work.js';
import { keepContent } from '../../src/domain/software/app/content.service.js';
import { ContentBuilder } from '../../src/platform/encoding/content.js';
import { testClock } from '../support/clock.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';
import { databaseFile, fileOf } from '../support/databases/sqlite-place.js';
import { inOtherProcess } from '../support/other-process.js';
import { startServer, SYSTEM } from '../support/server.js';
import { turnsOf } from '../support/turns.js';
import { add, addCompany } from './added-companies.js';
import { CALLER } from './company-units.js';

describe('every connection', () => {
  it.each(['reads', 'writes'] as const)('for %s is durable and fenced', async (handle) => {
    const database = sqliteDatabase();
    const settings = {
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      recursive_triggers: 1,
      trusted_schema: 0,
    };
    for (const [name, value] of Object.entries(settings)) {
      const { rows } = await sql.raw(`pragma ${name}`).execute(database[handle]);
      expect(rows).toEqual([{ [name]: value }]);
    }
  });

  it('for reads cannot write', async () => {
    const database = sqliteDatabase();
    await expect(
      database.reads
        .insertInto('companies')
        .values({ name: 'x', created_at: new Date(0), updated_at: new Date(0) })
        .execute(),
    ).rejects.toMatchObject({ code: 'storage_read_only' });
  });
});

describe('a database that was closed', () => {
  it('refuses what comes later, as a server that stops', async () => {
    const database = sqliteDatabase();
    const read = (db: typeof database.reads) => sql`select 1`.execute(db);
    await database.snapshot(null, read);
    await database.close();
    const refused = { code: 'storage_unavailable', message: 'The server is stopping.' };
    await expect(read(database.reads)).rejects.toMatchObject(refused);
    await expect(database.snapshot(null, read)).rejects.toMatchObject(refused);
    await expect(database.snapshot(1, read)).rejects.toMatchObject(refused);
    await expect(database.examine(1, read)).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('prepared statements', () => {
  const open = () => {
    const database = openFile(databaseFile(), { readonly: false });
    onTestFinished(() => void database.close());
    return new Statements(database);
  };

  it('are kept by their text', () => {
    const statements = open();
    expect(statements.get('select 1')).toBe(statements.get('select 1'));
    expect(statements.get('select 1')).not.toBe(statements.get('select 2'));
  });

  it('are forgotten from 500 on, the oldest first', () => {
    const statements = open();
    const first = statements.get('select 0');
    const second = statements.get('select 1');
    for (let n = 2; n <= 500; n += 1) statements.get(`select ${n}`);
    expect(statements.get('select 1')).toBe(second);
    expect(statements.get('select 0')).not.toBe(first);
  });

  it('of batches, whose length varies, are not kept', () => {
    const statements = open();
    const [short, long] = [`select '${'x'.repeat(8_000)}'`, `select '${'x'.repeat(9_000)}'`];
    expect(statements.get(short)).toBe(statements.get(short));
    expect(statements.get(long)).not.toBe(statements.get(long));
  });

  it('go on working when the schema changes', async () => {
    const database = sqliteDatabase();
    const names = async () => (await database.reads.selectFrom('companies').selectAll().execute()).length;
    expect(await names()).toBe(0);
    await sql`alter table companies add column note text`.execute(database.writes);
    await database.writes
      .insertInto('companies')
      .values({ name: 'x', created_at: new Date(0), updated_at: new Date(0) })
      .execute();
    expect(await database.reads.selectFrom('companies').selectAll().execute()).toEqual([
      {
        id: 1,
        name: 'x',
        created_at: 0,
        updated_at: 0,
        time_zone: 'UTC',
        currency: null,
        response_texts: '{}',
        note: null,
      },
    ]);
  });
});

describe('LS-02 the write-ahead log', () => {
  const logBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  it('that a long reader let grow is cut back once the reader is gone', async () => {
    const database = sqliteDatabase();
    const units = createUnits(database, testClock());
    const reader = await inOtherProcess(
      `const database = new (require('better-sqlite3'))(process.argv[1], { readonly: true });
      database.exec('begin');
      database.prepare('select count(*) from companies').get();
      process.stdout.write('reading');
      setInterval(() => undefined, 1000);`,
      database.name,
    );
    const write = (n: number) => add(units, `${n} ${'-'.repeat(200_000)}`);
    for (let n = 0; n < 120; n += 1) await write(n);
    expect(logBytes(database.name)).toBeGreaterThan(20_000_000);
    reader.kill('SIGKILL');
    await once(reader, 'exit');
    for (let n = 200; n < 210; n += 1) await write(n);
    expect(logBytes(database.name)).toBeLessThan(17_000_000);
  });
});

describe('reads that take long together', () => {
  it('let other work run between their statements', async () => {
    const database = sqliteDatabase();
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
      select max(i) from n`;
    const read = () =>
      database.snapshot(1, async (db) => {
        for (let n = 0; n < 10; n += 1) await slow.execute(db);
      });
    const { turns } = await turnsOf(read);
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});

function setUp(): { database: Database; units: Units } {
  const database = sqliteDatabase();
  return { database, units: createUnits(database, testClock()) };
}

const names = async ({ db }: SystemReadWork): Promise<string[]> =>
  (await db.selectFrom('companies').select('name').orderBy('id').execute()).map((row) => row.name);

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

  it('leaves its transaction to units of the same turn of the event loop, without what they must not see', async () => {
    const { database, units } = setUp();
    await add(units, 'first');
    const other = new Sqlite(database.name, { timeout: 0 });
    onTestFinished(() => void other.close());
    const checkpoint = () => other.pragma('wal_checkpoint(truncate)');
    expect(await units.read(CALLER, names)).toEqual(['first']);
    expect(checkpoint()).toMatchObject([{ busy: 1 }]);
    other.exec("insert into companies (name, created_at, updated_at) values ('other', 0, 0)");
    expect(await units.read(CALLER, names)).toEqual(['first', 'other']);
    await add(units, 'last');
    expect(await units.read(CALLER, names)).toEqual(['first', 'other', 'last']);
    await nextTurn();
    expect(checkpoint()).toMatchObject([{ busy: 0 }]);
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
      await units.systemWrite(SYSTEM, async (work) => {
        await addCompany(work, `${n}`.padEnd(60_000, '-'));
        await work.db.deleteFrom('companies').execute();
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

it('LS-02 housekeeping cuts a log that a large change has left large', async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const size = (): number => statSync(`${fileOf(server.place)}-wal`).size;
  const builder = new ContentBuilder();
  builder.add(new Uint8Array(20 * 1024 * 1024));
  const { units } = server.app;
  await units.write(server.acme.caller, (work) => keepContent(work, builder.finish()));
  expect(size()).toBeGreaterThan(16 * 1024 * 1024);
  await server.app.housekeeping.run();
  expect(size()).toBe(0);
});
