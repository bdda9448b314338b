import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { MIGRATION_NAMES } from '../../src/database/migrations.js';
import { it } from '../support/cli-test.js';
import { createClient } from '../support/client.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fileOf } from '../support/databases/sqlite-place.js';
import { GOOD_PASSWORD, userAdd } from '../support/program.js';
import { insertTransactions } from '../support/retention.js';

describe('db', () => {
  it('migrates a new database; --dry-run only lists the migrations', async ({ bare: cli }) => {
    const dry = await cli.run('db migrate --dry-run --json');
    const file = fileOf(cli.place);
    expect(dry.object()).toEqual({ file, dry_run: true, migrations: MIGRATION_NAMES, tables: [] });
    expect(existsSync(file)).toBe(false);
    const done = await cli.run('db migrate');
    expect(done.lines).toEqual(MIGRATION_NAMES.map((name) => `${name} applied`));
    expect((await cli.run('db migrate')).stdout).toBe(`${fileOf(cli.place)} is up to date.\n`);
  });

  it('shows what pending migrations lock, and how many rows there are', async ({ cli }) => {
    const database = new Sqlite(fileOf(cli.place));
    database.prepare('delete from applied_migrations where name = ?').run(MIGRATION_NAMES.at(-1));
    database.close();
    const migration = MIGRATION_NAMES.at(-1);
    const tables = { migration, table: '*', lock: 'write lock of the file', rewritten: false };
    for (let time = 0; time < 2; time += 1) {
      const dry = (await cli.run('db migrate --dry-run --json')).object();
      expect(dry).toMatchObject({ migrations: [MIGRATION_NAMES.at(-1)], tables: [tables] });
      expect((dry.tables as { rows: number }[])[0]?.rows).toBeGreaterThan(1);
    }
  });

  it('CM-08 backs up and restores the logs of terminals, byte for byte', async ({ cli }) => {
    const [company] = await cli.place.sql<{ id: number }>('select id from companies');
    const companyId = company?.id ?? 0;
    const device = { serial_number: 'T-1', enabled: 1, meta: '{}', tags: '[]', ...audited(null) };
    const [device_id = 0] = await insertMany(cli.place, ['devices', companyId, 1], () => device);
    const log = { device_id, name: 'ação.log', at: 1, parts: 1, size: 9, created_at: 1 };
    const [log_id = 0] = await insertMany(cli.place, ['device_logs', companyId, 1], () => log);
    const bytes = () => randomBytes(70_000);
    await insertMany(cli.place, ['device_log_chunks', companyId, 3], (sequence) => {
      return { log_id, part: 1, sequence, size: 9, line_count: 1, bytes: bytes() };
    });
    const rows = async () => [
      await cli.place.sql('select * from device_logs'),
      await cli.place.sql('select * from device_log_chunks order by id'),
    ];
    const before = await rows();
    expect(before.map(({ length }) => length)).toEqual([1, 3]);
    const copy = join(cli.folder, 'logs.db');
    expect((await cli.run(['db', 'backup', copy])).code).toBe(0);
    await cli.place.sql('delete from device_log_chunks where sequence = 2');
    const restored = cli.with({ DATABASE_URL: `file:${join(cli.folder, 'restored.db')}` });
    expect((await restored.run(['db', 'restore', copy])).code).toBe(0);
    const database = new Sqlite(join(cli.folder, 'restored.db'));
    const after = ['device_logs', 'device_log_chunks'].map((table) =>
      database.prepare(`select * from ${table} order by id`).all(),
    );
    database.close();
    expect(after).toEqual(before);
    expect((await restored.run('db check')).code).toBe(0);
  });

  it('backs up and restores, and refuses to overwrite a file', async ({ cli, token }) => {
    const copy = join(cli.folder, 'copy.db');
    const begun = Math.floor(Date.now() / 1_000);
    const backedUp = await cli.run(['db', 'backup', copy]);
    expect(backedUp.code).toBe(0);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    // For the metric of its age.
    const noted = statSync(`${fileOf(cli.place)}.last-backup`);
    expect([noted.mode & 0o777, noted.size]).toEqual([0o600, 0]);
    expect(Math.ceil(noted.mtimeMs / 1_000)).toBeGreaterThanOrEqual(begun);

    for (const refused of [await cli.run(['db', 'backup', copy]), await cli.run(['db', 'restore', copy])]) {
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain('exists and is not overwritten');
    }
    rmSync(fileOf(cli.place));
    expect((await cli.run(['db', 'restore', copy])).code).toBe(0);
    const client = createClient((await cli.serve()).url, token);
    expect((await client.get('users')).status).toBe(200);
  });

  it('refuses to back up a database that does not exist', async ({ bare }) => {
    const refused = await bare.run('db backup never-made.db');
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('There is no database at');
  });

  it('finds broken references and wrong totals', async ({ cli }) => {
    const sound = await cli.run('db check');
    expect([sound.code, sound.stdout]).toEqual([0, `${fileOf(cli.place)}: no damage found.\n`]);

    const database = new Sqlite(fileOf(cli.place));
    const acme = Number(database.prepare('select id from companies').pluck().get());
    database.pragma('foreign_keys = OFF');
    database.exec(`update counters set total = total + 1;
      insert into memberships (company_id, user_id, role, created_at) select 77, id, 'viewer', 0 from users;
      insert into transaction_app_totals values (${acme}, 1440, 29453760, 'fail', 'switch', 'a', 2, 0, 0, 0, 0, 0, 0, 0),
        (${acme}, 360, 29454120, 'fail', 'switch', 'a', 0, 0, 0, 0, 7, 0, 0, 0);
      insert into transaction_totals values (${acme}, 1440, 29453760, 'fail', 'switch', 2, 0, 0, 0, 0, 0, 0, 0),
        (${acme}, 30, 29454030, 'fail', 'switch', 0, 0, 0, 0, 0, 0, 5, 0);
      insert into transaction_group_totals values (${acme}, 30, 29454030, 'success', 'switch', '', 0, 0, 0, 1, 0, 0, 0, 0, 0)`);
    database.close();
    const broken = await cli.run('db check --json');
    expect(broken.code).toBe(1);
    expect(broken.object().ok).toBe(false);
    expect(broken.object().problems).toEqual([
      expect.stringMatching(/^memberships \d+ refers to a missing row of companies$/),
      `company ${acme}: its counter of users is 2, but it has 1`,
      `company ${acme}: its counter of access_tokens is 2, but it has 1`,
      `company ${acme}: its counter of ledger is 5, but it has 4`,
      ...[
        ['1440 minutes from 2026-01-01T00:00', 'transaction_totals'],
        ['30 minutes from 2026-01-01T04:30', 'transaction_totals'],
        ['1440 minutes from 2026-01-01T00:00', 'transaction_app_totals'],
        ['360 minutes from 2026-01-01T06:00', 'transaction_app_totals'],
        ['30 minutes from 2026-01-01T04:30', 'transaction_group_totals'],
      ].map(([span, table]) => `company ${acme}: the totals of ${span}:00.000Z are wrong in ${table}`),
    ]);
  });

  it('finds triggers and tables that are not of this program, changed and missing ones', async ({ cli }) => {
    const database = new Sqlite(fileOf(cli.place));
    database.exec(`create table copies (text);
      create trigger spy after insert on groups begin insert into copies values (new.name); end;
      create view all_users as select * from users;
      drop trigger ledger_no_delete; drop index ledger_of_company;
      create index ledger_of_company on ledger (sequence)`);
    database.close();
    const checked = await cli.run('db check --json');
    expect([checked.code, checked.object().problems]).toEqual([
      1,
      [
        'the index ledger_of_company differs from the one of this program',
        'the table copies is not of this program',
        'the trigger spy is not of this program',
        'the view all_users is not of this program',
        'the trigger ledger_no_delete is missing',
      ],
    ]);
  });

  it('finds a damaged page', async ({ cli }) => {
    const bytes = readFileSync(fileOf(cli.place));
    bytes.fill(0xaa, 5 * 4096, 15 * 4096);
    writeFileSync(fileOf(cli.place), bytes);
    const broken = await cli.run('db check');
    expect(broken.code).toBe(78);
    expect(broken.stderr).toContain('is damaged');
  });

  it('prints the schema state and record counts', async ({ cli }) => {
    const info = await cli.run('db info --json');
    expect(info.object()).toMatchObject({
      file: fileOf(cli.place),
      state: 'current',
      applied: MIGRATION_NAMES,
      pending: [],
      companies: 1,
      users: 1,
      records: { devices: 0, transactions: 0 },
    });
    expect((await cli.run('db info')).stdout).toContain('users: 1\n');
  });

  it('prints the sizes of tables, the room in the file, and the oldest rows', async ({ cli }) => {
    const [company] = await cli.place.sql<{ id: number }>('select id from companies');
    const first = new Date('2025-01-02T03:04:05.678Z');
    await insertTransactions(cli.place, company?.id ?? 0, 500, { first, stepMs: 1_000 });
    const before = (await cli.run('db info --json')).object();
    expect(before).toMatchObject({
      tables: { transactions: { rows: 500 }, transaction_totals: { rows: 6 } },
      oldest: { transactions: first.toISOString(), deliveries: null },
    });
    const { tables, bytes, free_bytes: free } = before as Record<string, number | object>;
    const sizes = Object.values(tables as Record<string, { bytes: number }>);
    expect(sizes.reduce((total, table) => total + table.bytes, Number(free))).toBe(bytes);
    await cli.run('db prune --transactions 1d');
    const after = (await cli.run('db info --json')).object() as { free_bytes: number };
    expect(after.free_bytes).toBeGreaterThan(Number(free) + 100_000);
    expect((await cli.run('db info')).lines).toContain(`free in the file: ${after.free_bytes} bytes`);
  });

  it('makes the file smaller after deletions, but not while a server uses it', async ({ cli, token }) => {
    const [company] = await cli.place.sql<{ id: number }>('select id from companies');
    await insertTransactions(cli.place, company?.id ?? 0, 2_000, { first: new Date(0), stepMs: 1_000 });
    await cli.run('db prune --transactions 1d');
    const server = await cli.start();
    const refused = await cli.run('db compact');
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('use')]);
    await server.end('SIGTERM');
    const file = fileOf(cli.place);
    const before = statSync(file).size;
    const done = (await cli.run('db compact --json')).object();
    expect(done).toEqual({ file, bytes_before: before, bytes: statSync(file).size });
    expect(statSync(file).size).toBeLessThan(before - 400_000);
    expect((await cli.run('db info --json')).object()).toMatchObject({ free_bytes: 0 });
    const again = await cli.serve();
    expect((await createClient(again.url, token).post('groups', { name: 'after' })).status).toBe(201);
    await again.stop();
    expect((await cli.run('db check')).code).toBe(0);
  });

  it('CC-11 runs beside a server under writes, whose requests all succeed', async ({ cli, token }) => {
    const server = await cli.start();
    const client = server.client(token);
    const statuses: number[] = [];
    const load = { stopped: false };
    const writing = (async () => {
      for (let n = 0; !load.stopped; n += 1) {
        statuses.push((await client.post('groups', { name: `group ${n}` })).status);
      }
    })();
    const commands = [
      ['db', 'backup', join(cli.folder, 'beside.db')],
      ['db', 'check'],
      ['db', 'migrate', '--dry-run'],
      userAdd({ email: 'new@acme.example' }),
      ['db', 'info'],
    ];
    const codes: (number | null)[] = [];
    for (const command of commands) codes.push((await cli.run(command, GOOD_PASSWORD)).code);
    load.stopped = true;
    await writing;
    expect(codes).toEqual(commands.map(() => 0));
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect((await client.get('groups')).body.pagination).toMatchObject({ total_entries: statuses.length });
  });
});
