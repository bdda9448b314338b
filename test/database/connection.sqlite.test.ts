import { sql } from 'kysely';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { Statements } from '../../src/database/sqlite/connection.js';
import { openFile } from '../../src/database/sqlite/file/open-file.js';
import { createUnits } from '../../src/database/units.js';
import { testClock } from '../support/clock.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { inOtherProcess } from '../support/other-process.js';
import { SYSTEM } from '../support/server.js';
import { turnsOf } from '../support/turns.js';

describe('every connection', () => {
  it.each(['reads', 'writes'] as const)('for %s is durable and fenced', async (handle) => {
    const database = sqliteDatabase();
    const pragma = async (name: string): Promise<unknown> => {
      const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(database[handle]);
      return Object.values(rows[0] ?? {})[0];
    };
    expect({
      journal_mode: await pragma('journal_mode'),
      synchronous: await pragma('synchronous'),
      foreign_keys: await pragma('foreign_keys'),
      recursive_triggers: await pragma('recursive_triggers'),
      trusted_schema: await pragma('trusted_schema'),
    }).toEqual({
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      recursive_triggers: 1,
      trusted_schema: 0,
    });
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
  const open = () => openFile(databaseFile(), { readonly: false });

  it('are kept by their text', () => {
    const database = open();
    const statements = new Statements(database);
    expect(statements.get('select 1')).toBe(statements.get('select 1'));
    expect(statements.get('select 1')).not.toBe(statements.get('select 2'));
    database.close();
  });

  it('are forgotten from 500 on, the oldest first', () => {
    const database = open();
    const statements = new Statements(database);
    const first = statements.get('select 0');
    const second = statements.get('select 1');
    for (let n = 2; n <= 500; n += 1) statements.get(`select ${n}`);
    expect(statements.size).toBe(500);
    expect(statements.get('select 1')).toBe(second);
    expect(statements.get('select 0')).not.toBe(first);
    database.close();
  });

  it('of batches, whose length varies, are not kept', () => {
    const database = open();
    const statements = new Statements(database);
    statements.get(`select '${'x'.repeat(8_000)}'`);
    statements.get(`select '${'x'.repeat(9_000)}'`);
    expect(statements.size).toBe(1);
    database.close();
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
      { id: 1, name: 'x', created_at: 0, updated_at: 0, time_zone: 'UTC', note: null },
    ]);
  });
});

describe('LS-02 the write-ahead log', () => {
  const logBytes = (file: string): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  it('stays bounded under many writes, and is gone after closing', async () => {
    const database = sqliteDatabase();
    const units = createUnits(database, testClock());
    let largest = 0;
    for (let n = 0; n < 3_000; n += 1) {
      await units.systemWrite(SYSTEM, async ({ db }) => {
        const row = { name: `${n}`.padEnd(2_000, '-'), created_at: new Date(0), updated_at: new Date(0) };
        await db.insertInto('companies').values(row).execute();
      });
      largest = Math.max(largest, logBytes(database.name));
    }
    expect(largest).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(6_000_000);
    await database.close();
    expect(logBytes(database.name)).toBe(0);
  });

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
    const write = (n: number) =>
      units.systemWrite(SYSTEM, async ({ db }) => {
        const row = { name: `${n} ${'-'.repeat(200_000)}`, created_at: new Date(0), updated_at: new Date(0) };
        await db.insertInto('companies').values(row).execute();
      });
    for (let n = 0; n < 120; n += 1) await write(n);
    expect(logBytes(database.name)).toBeGreaterThan(20_000_000);
    reader.kill('SIGKILL');
    await once(reader, 'exit');
    for (let n = 200; n < 210; n += 1) await write(n);
    expect(logBytes(database.name)).toBeLessThan(17_000_000);
  });
});

describe('reads that take long together', () => {
  it('let others run between their statements', async () => {
    const database = sqliteDatabase();
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
      select max(i) from n`;
    const { turns } = await turnsOf(() =>
      database.snapshot(1, (db) => Promise.all(Array.from({ length: 10 }, () => slow.execute(db)))),
    );
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
