import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { printedTables } from '../../.config/printed-tables.js';
import { MIGRATIONS } from '../../src/database/sqlite/migrations/index.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { checkFile } from '../../src/database/sqlite/file/check.js';
import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { SCOPES } from '../../src/platform/caller.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = databaseFile(folder);
  const database = new Sqlite(file);
  database.exec("insert into companies (name, created_at, updated_at) values ('Acme', 0, 0)");
  database.close();
});
afterEach(() => removeFolder(folder));

const addsNote: Migration = {
  up: async (db) => {
    await sql`alter table companies add column note text`.execute(db);
    await sql`update companies set note = 'migrated'`.execute(db);
  },
};
const fails: Migration = {
  up: async (db) => {
    await sql`alter table companies add column half text`.execute(db);
    await sql`select no_such_function()`.execute(db);
  },
};
const withOneMore = { ...MIGRATIONS, '9001-note': addsNote };

function read(path: string, query: string): unknown {
  const database = new Sqlite(path, { readonly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

describe('migrating', () => {
  it('brings an older file up to date, with a backup of what it was beside it', async () => {
    const { applied, backup } = await migrateFile(file, withOneMore);
    expect(applied).toEqual(['9001-note']);
    expect(backup).toBe(`${file}.before-9001-note`);
    expect(read(file, 'select name, note from companies')).toEqual([{ name: 'Acme', note: 'migrated' }]);
    const kept = backup ?? '';
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(inspectFile(kept)).toMatchObject({ state: 'current' });
    expect(read(kept, 'select name from companies')).toEqual([{ name: 'Acme' }]);
  });

  it('does nothing twice', async () => {
    await migrateFile(file, withOneMore);
    expect(await migrateFile(file, withOneMore)).toEqual({ applied: [], backup: null });
  });

  it('gives a new file at once what all migrations give it one after another', async () => {
    expect(readFileSync(new URL('../../src/database/sqlite/schema.sql', import.meta.url), 'utf8')).toBe(
      await printedTables(),
    );
    const atOnce = join(folder, 'at-once.db');
    const oneByOne = join(folder, 'one-by-one.db');
    expect((await migrateFile(atOnce)).applied).toEqual(Object.keys(MIGRATIONS).sort());
    await migrateFile(oneByOne, { ...MIGRATIONS });
    for (const query of [
      'select type, name, tbl_name, sql from sqlite_schema order by type, name',
      'select name from kysely_migration order by name',
      'select id, is_locked from kysely_migration_lock',
      'select name, seq from sqlite_sequence order by name',
      'select tbl, idx, stat from sqlite_stat1 order by tbl, idx',
      ...['encoding', 'auto_vacuum', 'journal_mode', 'page_size', 'application_id'].map(
        (name) => `pragma ${name}`,
      ),
    ]) {
      expect(read(atOnce, query), query).toEqual(read(oneByOne, query));
    }
    const rows = (read(atOnce, "select name from sqlite_schema where type = 'table'") as { name: string }[])
      .filter(({ name }) => !/^kysely_migration|^sqlite_stat1$/.test(name))
      .map(({ name }) => [name, (read(oneByOne, `select * from "${name}"`) as unknown[]).length]);
    expect(rows.filter(([, count]) => count !== 0)).toEqual([]);
  });

  it('makes no backup where there is nothing to lose', async () => {
    const fresh = join(folder, 'fresh.db');
    expect((await migrateFile(fresh)).backup).toBeNull();
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([]);
  });

  it('keeps nothing of a migration that fails, but those before it', async () => {
    const migrations = { ...withOneMore, '9002-fails': fails };
    await expect(migrateFile(file, migrations)).rejects.toThrow('The migration 9002-fails failed');
    const { applied, pending } = inspectFile(file, Object.keys(migrations));
    expect([applied.at(-1), pending]).toEqual(['9001-note', ['9002-fails']]);
    const columns = read(file, "select name from pragma_table_info('companies')") as { name: string }[];
    expect(columns.map(({ name }) => name)).toEqual([
      'id',
      'name',
      'created_at',
      'updated_at',
      'time_zone',
      'note',
    ]);
  });

  it('makes one backup however often it fails, and another where the records have changed', async () => {
    const failing = { ...MIGRATIONS, '9001-fails': fails };
    const backups = (): string[] =>
      readdirSync(folder)
        .filter((name) => name.includes('before'))
        .sort();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(migrateFile(file, failing)).rejects.toThrow('9001-fails');
    }
    expect(backups()).toEqual(['gateway.db.before-9001-fails']);
    const database = new Sqlite(file);
    database.exec("insert into companies (name, created_at, updated_at) values ('Beta', 0, 0)");
    database.close();
    await expect(migrateFile(file, failing)).rejects.toThrow('9001-fails');
    expect(backups()).toEqual(['gateway.db.before-9001-fails', 'gateway.db.before-9001-fails.2']);
  });

  it('adds up the transactions that an older file has, and those that come after', async () => {
    const older = join(folder, 'older.db');
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0003'));
    await migrateFile(older, before);
    let id = 0;
    const insert = (rows: string): void => {
      const database = new Sqlite(older);
      database.exec(`insert into transactions (id, company_id, transaction_type, serial_number, logical_number,
        app_name, detail, status, amount, started_at, recorded_at) values ${rows}`);
      database.close();
    };
    const row = (status: string, amount: number | null, hour: number, company = 1): string =>
      `(${(id += 1)}, ${company}, 'switch', 'S', 'L', 'a', '', '${status}', ${String(amount)}, ${hour * 3_600_000 + 7}, 0)`;
    const companies = new Sqlite(older);
    companies.exec("insert into companies values (1, 'Acme', 0, 0), (2, 'Beta', 0, 0)");
    companies.close();
    insert(
      [row('success', 5, 1), row('success', 7, 2), row('fail', null, 25), row('success', 1, 1, 2)].join(),
    );
    await migrateFile(older);
    insert([row('success', 11, 2), row('fail', null, 25)].join());
    const kept = (span: string): unknown =>
      read(
        older,
        `select company_id as company, ${span} as at, status, total, amount_total as amount
          from transaction_${span}s order by 1, 2, 3`,
      );
    const total = (company: number, at: number, status: string, count: number, amount: number) => ({
      ...{ company, at, status, total: count, amount },
    });
    expect(kept('hour')).toEqual([
      total(1, 1, 'success', 1, 5),
      total(1, 2, 'success', 2, 18),
      total(1, 25, 'fail', 2, 0),
      total(2, 1, 'success', 1, 1),
    ]);
    expect(kept('day')).toEqual([
      total(1, 0, 'success', 3, 23),
      total(1, 1, 'fail', 2, 0),
      total(2, 0, 'success', 1, 1),
    ]);
  });

  it('adds up approved, denied and cancelled payments that an older file has', async () => {
    const older = join(folder, 'older.db');
    await migrateFile(
      older,
      Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0004')),
    );
    const payments = [
      { amount: 100, type: 'sale', status: 'approved' },
      { amount: 20, type: 'sale', status: 'denied' },
      { amount: 3, type: 'cancellation', status: 'approved' },
      { amount: 4, type: 'refund', status: 'approved' },
      { amount: 50, type: 'void', status: 'approved', nsuReference: '1' },
      { amount: 600, type: 'cancellation', status: 'denied', nsuReference: '1' },
      null,
    ];
    const companies = new Sqlite(older);
    companies.exec("insert into companies values (1, 'Acme', 0, 0)");
    const insert = companies.prepare(`insert into transactions (company_id, transaction_type, serial_number,
      logical_number, app_name, detail, status, amount, parsed, started_at, recorded_at)
      values (1, 'switch', 'S', 'L', 'a', '', 'success', ?, ?, ?, 0)`);
    for (const day of [1, 2]) {
      for (const parsed of payments) {
        insert.run(parsed?.amount ?? null, parsed && JSON.stringify(parsed), day * 86_400_000);
      }
    }
    companies.close();
    await migrateFile(older);
    const kept = (span: string): unknown =>
      read(
        older,
        `select ${span} as at, total, amount_total as amount, approved_amount as approved,
          denied_amount as denied, cancelled_amount as cancelled from transaction_${span}s order by 1`,
      );
    const sums = { total: 7, amount: 777, approved: 100, denied: 620, cancelled: 57 };
    expect(kept('day')).toEqual([1, 2].map((at) => ({ at, ...sums })));
    expect(kept('hour')).toEqual([24, 48].map((at) => ({ at, ...sums })));
  });

  it('gives members and creators of an older file their values', async () => {
    const older = join(folder, 'older.db');
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0006'));
    await migrateFile(older, before);
    const database = new Sqlite(older);
    database.exec(`insert into companies values (1, 'Acme', 0, 0), (2, 'Beta', 0, 0);
      insert into users (id, email, name, time_zone, password_hash, sign_in_count, last_sign_in_at, last_sign_in_ip,
        failed_sign_ins, revision, created_at, updated_at)
        values (1, 'vi@acme.example', 'Vi', 'UTC', '', 0, null, null, 0, 1, 5, 5),
          (2, 'ana@acme.example', 'Ana', 'Asia/Tokyo', '', 3, 7, '192.0.2.1', 0, 4, 5, 8);
      insert into memberships values (1, 1, 'viewer', 5), (1, 2, 'admin', 6), (2, 2, 'viewer', 6);
      insert into groups (company_id, name, revision, created_at, updated_at, created_by, created_via)
        values (1, 'by a command', 1, 5, 5, null, 'api'), (1, 'by Vi', 1, 5, 5, 1, 'api'),
          (2, 'by a command', 1, 5, 5, null, 'api');`);
    database.close();
    await migrateFile(older);
    expect(read(older, 'select company_id, name, created_by from groups order by id')).toEqual([
      { company_id: 1, name: 'by a command', created_by: 2 },
      { company_id: 1, name: 'by Vi', created_by: 1 },
      { company_id: 2, name: 'by a command', created_by: 2 },
    ]);
    const columns =
      'company_id, id, name, time_zone, role, sign_in_count, last_sign_in_at, revision, updated_at';
    const ana = { name: 'Ana', time_zone: 'Asia/Tokyo', sign_in_count: 3, last_sign_in_at: 7, revision: 4 };
    expect(read(older, `select ${columns} from members where id = 2 order by 1`)).toEqual([
      { company_id: 1, id: 2, role: 'admin', ...ana, updated_at: 8 },
      { company_id: 2, id: 2, role: 'viewer', ...ana, updated_at: 8 },
    ]);
  });

  it('keeps the network of the last sign-in, and drops locks that held for all networks', async () => {
    const older = join(folder, 'older.db');
    const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0007'));
    await migrateFile(older, before);
    const database = new Sqlite(older);
    database.exec(`insert into users (id, email, name, time_zone, password_hash, sign_in_count, last_sign_in_at,
        last_sign_in_ip, failed_sign_ins, locked_until, revision, created_at, updated_at)
        values (1, 'vi@acme.example', 'Vi', 'UTC', '', 0, null, null, 10, 9, 1, 5, 5),
          (2, 'ana@acme.example', 'Ana', 'UTC', '', 3, 7, '192.0.2.1', 4, null, 4, 5, 8),
          (3, 'bo@acme.example', 'Bo', 'UTC', '', 3, 7, '2001:db8::1', 0, null, 4, 5, 8);`);
    database.close();
    await migrateFile(older);
    expect(read(older, 'select * from sign_in_networks')).toEqual([
      {
        ...{ user_id: 2, network: '192.0.2.1', signed_in_at: 7, locked_until: null },
        ...{ failed_sign_ins: 0, updated_at: 7 },
      },
    ]);
    const none = { failed_sign_ins: 0, failed_since: null, locked_until: null };
    const columns = 'failed_sign_ins, failed_since, locked_until';
    expect(read(older, `select ${columns} from users`)).toEqual([none, none, none]);
  });

  it('is done once where several start on a new file together', async () => {
    const fresh = join(folder, 'fresh.db');
    const all = await Promise.all([1, 2, 3].map(() => openDatabase(fresh)));
    for (const database of all) await database.close();
    expect(inspectFile(fresh).state).toBe('current');
    expect(existsSync(`${fresh}.before-0001-initial`)).toBe(false);
  });
});

describe('the rollups of transactions', () => {
  it('are filled from the totals of an older file, and kept from then on', async () => {
    const older = join(folder, 'older.db');
    await migrateFile(
      older,
      Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0014')),
    );
    const change = (text: string): void => {
      const database = new Sqlite(older);
      database.exec(text);
      database.close();
    };
    let id = 0;
    const row = (company: number, hour: number, app: string): string =>
      `(${company}, ${(id += 1)}, 'switch', 'S', 'L', '${app}', '', 'success', 5, 'approved', ${hour * 3_600_000}, 0)`;
    const insert = (...rows: string[]): void =>
      change(`insert into transactions (company_id, id, transaction_type, serial_number, logical_number, app_name,
        detail, status, amount, payment_outcome, started_at, recorded_at) values ${rows.join()}`);
    change("insert into companies values (1, 'Acme', 0, 0), (2, 'Beta', 0, 0)");
    insert(row(1, 1, 'a'), row(1, 1, 'b'), row(1, 30, 'a'), row(2, 1, 'a'), row(2, 2, 'a'));
    change("delete from transactions where id = 5; update transactions set status = 'fail' where id = 2");
    await migrateFile(older);
    expect(checkFile(older)).toEqual([]);
    expect(
      read(older, 'select company_id as company, day, status, total from transaction_day_totals'),
    ).toEqual([
      { company: 1, day: 0, status: 'fail', total: 1 },
      { company: 1, day: 0, status: 'success', total: 1 },
      { company: 1, day: 1, status: 'success', total: 1 },
      { company: 2, day: 0, status: 'success', total: 1 },
    ]);
    insert(row(1, 1, 'a'), row(2, 99, 'b'));
    change("update transactions set app_name = 'c' where id = 1");
    expect(checkFile(older)).toEqual([]);
  });
});

describe('tokens of the token endpoint', () => {
  it('of an older file get the new scope, and named tokens do not', async () => {
    const older = join(folder, 'older.db');
    await migrateFile(
      older,
      Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0016')),
    );
    const database = new Sqlite(older);
    database.exec(`insert into companies values (1, 'Acme', 0, 0);
      insert into users (id, email, name, time_zone, password_hash, sign_in_count, failed_sign_ins, revision, created_at,
        updated_at) values (1, 'a@b.example', 'A', 'UTC', '', 0, 0, 1, 0, 0);
      insert into memberships (company_id, user_id, role, created_at) values (1, 1, 'admin', 0);
      insert into access_tokens (company_id, id, user_id, kind, scopes, token_hash, last_four, created_at) values
        (1, 1, 1, 'derived', '["read","write","admin","ingest"]', 'a', '', 0), (1, 2, 1, 'named', '["read"]', 'b', '', 0)`);
    database.close();
    await migrateFile(older);
    expect(read(older, 'select scopes from access_tokens order by id')).toEqual([
      { scopes: JSON.stringify(SCOPES) },
      { scopes: '["read"]' },
    ]);
  });
});

/** SHA-256 of the names and the SQL text of the schema that a new file has after each migration. */
const RELEASED: Readonly<Record<string, string>> = {
  '0001-initial': 'c09d69a65dca92581d9f3c5ee12e1ed1fc83075f6eb1e527d65c69415561cd07',
  '0002-lists': '0a19a708a43358be8e55a6e4602df7d41b0262f94bd0898ca7b20125031f6203',
  '0003-dashboards': 'c472b5b9b25b9ecf448e1145692832a1da8f6a149039676adbd028950227c7fd',
  '0004-transactions': '810ca7127b32da6df3c07cf1ea87ae14a2d27a29d5e48917f61a624fcc80eafc',
  '0005-ledger-entities': '16ddfc781fb0fd897e1a41f3252d2e29981ea2c6054415b4b57edcd8f8ec901f',
  '0006-members': 'aa21c6ac42618c1e1d331ebae0ad0c708f1bfe09761938dd3873634212d43de5',
  '0008-sign-in-networks': '570d0dbff888a9302166fcff59efb7b722ee7c67fa0c7bbffc2a9711c8dc5c33',
  '0009-removals': '99c08a96a5ca6137a9fb4e6857ecad56108a7499dd68a58658565ff649a8c2ac',
  '0010-ids-by-company': '6a94ceba705d7925cf679d28a68963e29ebd1f3de89a069ffab1896616792f36',
  '0011-ledger-chain': '586f6a15f6a7351551942a91ba72cb7fc383897cb4a211a0528c077b807c36ae',
  '0012-row-totals': '14cc3ae42170360296f69e0d066f7adddbafe205abf96dcebeb9e572819861ec',
  '0013-queued-deliveries': 'dffe8963f7ed4bbfb30499e570cdce264860b487c4b8c14ec177448877cae37e',
  '0015-group-default-versions': '0719bcd10a5d3db8798f9d3d2ceea81048e29bfc5ab1918092775842b255fc5b',
  '0016-terminals': '08460783cd88a41423337c79e75d2d8ecc04250213d764312468b0f1089b078e',
  '0017-references-of-terminals': 'b804b4fcb0779e8a41edddcdc12ae8fb930f42ad14df41879422c151598f81f5',
  '0018-terminal-versions': 'e9d4810153cf23490d0159eddcd2fd780e0f44494bdc5b2dbc6d92867cdb5f89',
  '0019-delivery-states': 'e098705aa70f3ca885d807dc201f7b8d64c148fbc5353bdb562008e75b025630',
  '0021-presence': '4ae1aec78b18bf09d7567fe57d94ec288eda8de93c720a10c74d35d8e9734da3',
  '0022-payment-figures': '7294748e112bf75d4e043057aec1e1961e4e15d62ce11a867bf84646607910af',
  '0024-retention': 'cdc80aebbf985cc3107881ac751dc232cbb32b045e40d3b7e7d241cede992deb',
  '0025-drawn-ids': 'a6e18db77bd533ffb816f98c6feda531350fcecfe36e48e5cb19b136b20f603b',
  '0026-failed-transactions': 'b531fd27d02faf1c9abae591348ccffcf04d7a578b517d573c9164708574b1e5',
  '0028-records-of-terminals': 'a25ded20df7b5857d6ad20bc145e0e9eff65d3ecac65d4c1e2a500ab8fc9a4b6',
  '0031-company-time-zones': '2fb785320435c71ce503f5ef2b616a31314f050834dc00fae2ee95d725b33067',
  '0035-device-presence': '76571e7f4dc42dba21a9267550c026c111504e573771211ba98a5535066bcdd0',
};

describe('released migrations', () => {
  it.each(Object.keys(MIGRATIONS))('make the schema they always made: %s', async (name) => {
    const fresh = join(folder, 'fresh.db');
    await migrateFile(
      fresh,
      Object.fromEntries(Object.entries(MIGRATIONS).filter(([earlier]) => earlier <= name)),
    );
    const schema = read(
      fresh,
      `select name, sql from sqlite_schema
      where name not like 'sqlite%' and name not like 'kysely%' order by rowid`,
    );
    const hash = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
    const message =
      'A released migration never changes: databases in use keep the schema that it made. Write a new migration, and add its hash here';
    expect(hash, message).toBe(RELEASED[name]);
  });
});
