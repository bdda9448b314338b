import Sqlite from 'better-sqlite3';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { MIGRATION_NAMES } from '../../src/database/sqlite/migrations/index.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createClient } from '../support/client.js';
import { commandLine, commandLineWithUser, GOOD_PASSWORD, runProgram, userAdd } from '../support/program.js';

describe('db', () => {
  it('migrates a new database; --dry-run only lists the migrations', async () => {
    const cli = commandLine();
    const dry = await cli.run(['db', 'migrate', '--dry-run', '--json']);
    expect(dry.object()).toEqual({ file: cli.file, dry_run: true, migrations: MIGRATION_NAMES });
    expect(existsSync(cli.file)).toBe(false);
    const done = await cli.run(['db', 'migrate']);
    expect(done.lines).toEqual(MIGRATION_NAMES.map((name) => `${name} applied`));
    expect((await cli.run(['db', 'migrate'])).stdout).toBe(`${cli.file} is up to date.\n`);
  });

  it('backs up and restores, and refuses to overwrite a file', async () => {
    const { cli, token } = await commandLineWithUser();
    const copy = join(cli.folder, 'copy.db');
    const backedUp = await cli.run(['db', 'backup', copy]);
    expect(backedUp.code).toBe(0);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    // For the metric of its age.
    const noted = statSync(`${cli.file}.last-backup`);
    expect([noted.mode & 0o777, noted.size, Date.now() - noted.mtimeMs < 60_000]).toEqual([0o600, 0, true]);

    for (const refused of [await cli.run(['db', 'backup', copy]), await cli.run(['db', 'restore', copy])]) {
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toContain('exists and is not overwritten');
    }
    rmSync(cli.file);
    expect((await cli.run(['db', 'restore', copy])).code).toBe(0);
    const client = createClient((await cli.serve()).url, token);
    expect((await client.get('users')).status).toBe(200);
  });

  it('refuses to back up a database that does not exist', async () => {
    const refused = await commandLine().run(['db', 'backup', 'never-made.db']);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('There is no database at');
  });

  it('finds broken references and wrong totals', async () => {
    const { cli } = await commandLineWithUser();
    const sound = await cli.run(['db', 'check']);
    expect([sound.code, sound.stdout]).toEqual([0, `${cli.file}: no damage found.\n`]);

    const database = new Sqlite(cli.file);
    const acme = Number(database.prepare('select id from companies').pluck().get());
    database.pragma('foreign_keys = OFF');
    database.exec(`update counters set total = total + 1;
      insert into memberships (company_id, user_id, role, created_at) select 77, id, 'viewer', 0 from users;
      insert into transaction_days values (${acme}, 20454, 'fail', 'switch', 'a', 2, 0, 0, 0, 0);
      insert into transaction_hours values (${acme}, 490900, 'fail', 'switch', 'a', 0, 0, 0, 0, 5)`);
    database.close();
    const broken = await cli.run(['db', 'check', '--json']);
    expect(broken.code).toBe(1);
    expect(broken.object().ok).toBe(false);
    expect(broken.object().problems).toEqual([
      expect.stringMatching(/^memberships \d+ refers to a missing row of companies$/),
      `company ${acme}: its counter of users is 2, but it has 1`,
      `company ${acme}: its counter of access_tokens is 2, but it has 1`,
      `company ${acme}: its counter of ledger is 5, but it has 4`,
      `company ${acme}: the transaction totals of the day 2026-01-01T00:00:00.000Z are wrong`,
      `company ${acme}: the transaction totals of the hour 2026-01-01T04:00:00.000Z are wrong`,
    ]);
  });

  it('finds triggers and tables that are not of this program, changed and missing ones', async () => {
    const { cli } = await commandLineWithUser();
    const database = new Sqlite(cli.file);
    database.exec(`create table copies (text);
      create trigger spy after insert on groups begin insert into copies values (new.name); end;
      create view all_users as select * from users;
      drop trigger ledger_no_delete; drop index ledger_of_company;
      create index ledger_of_company on ledger (sequence)`);
    database.close();
    const checked = await cli.run(['db', 'check', '--json']);
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

  it('finds a damaged page', async () => {
    const { cli } = await commandLineWithUser();
    const bytes = readFileSync(cli.file);
    bytes.fill(0xaa, 5 * 4096, 15 * 4096);
    writeFileSync(cli.file, bytes);
    const broken = await cli.run(['db', 'check']);
    expect(broken.code).toBe(78);
    expect(broken.stderr).toContain('is damaged');
  });

  it('prints the schema state and record counts', async () => {
    const { cli } = await commandLineWithUser();
    const info = await cli.run(['db', 'info', '--json']);
    expect(info.object()).toMatchObject({
      file: cli.file,
      state: 'current',
      applied: MIGRATION_NAMES,
      pending: [],
      companies: 1,
      users: 1,
      records: { devices: 0, transactions: 0 },
    });
    expect((await cli.run(['db', 'info'])).stdout).toContain('users: 1\n');
  });

  it('CC-11 runs beside a server under writes, whose requests all succeed', async () => {
    const { cli, token } = await commandLineWithUser();
    const server = await cli.serve({ RATE_LIMIT_PER_HOUR: '0' });
    const client = createClient(server.url, token);
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
    for (const command of commands)
      codes.push((await runProgram(command, cli.file, { input: GOOD_PASSWORD })).code);
    load.stopped = true;
    await writing;
    expect(codes).toEqual(commands.map(() => 0));
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect((await client.get('groups')).body.pagination).toMatchObject({ total_entries: statuses.length });
  });
});

describe('config print', () => {
  it('prints the settings in effect and no secret', async () => {
    const secret = 'a secret of the test 0123456789abcdef';
    const cli = commandLine().with({ TOKEN_SECRET: secret, LOG_LEVEL: 'warn' });
    const printed = await cli.run(['config', 'print']);
    expect(printed.code).toBe(0);
    expect(printed.lines).toContain('LOG_LEVEL=warn');
    expect(printed.lines).toContain('HOST=127.0.0.1');
    expect(printed.lines).toContain('TOKEN_SECRET=[redacted]');
    expect(printed.stdout + printed.stderr).not.toContain(secret);
    expect((await cli.run(['config', 'print', '--json'])).object()).toMatchObject({
      LOG_LEVEL: 'warn',
      TOKEN_SECRET: '[redacted]',
    });
  });

  it('prints one line for each invalid setting', async () => {
    const printed = await commandLine()
      .with({ PORT: '99999', LOG_LEVEL: 'loud', TRUST_PROXY: 'true', TOKEN_SECRET: 'changeme' })
      .run(['config', 'print']);
    expect(printed.code).toBe(78);
    expect(
      printed.stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['PORT', 'TRUST_PROXY', 'LOG_LEVEL', 'TOKEN_SECRET']);
    expect(printed.stdout + printed.stderr).not.toContain('changeme');
  });

  it.each([
    ['*'],
    ['https://*.shop.example'],
    ['null'],
    ['shop.example'],
    ['https://shop.example/'],
    ['https://shop.example/path'],
    ['https://shop.example?a=1'],
    ['https://ana@shop.example'],
    ['https://shop.example:99999'],
    ['ftp://shop.example'],
    ['https://dash.example,,https://shop.example'],
    ['https://dash.example https://shop.example'],
  ])('refuses ALLOWED_ORIGINS=%s', async (origins) => {
    const refused = await commandLine().with({ ALLOWED_ORIGINS: origins }).run(['config', 'print']);
    expect([refused.code, refused.stderr]).toEqual([
      78,
      expect.stringMatching(/^ALLOWED_ORIGINS: ".*" is not an origin: write https:[^\n]+\n$/),
    ]);
  });

  it('accepts a list of origins, in the spelling of browsers or another', () => {
    const list = 'https://dash.example, HTTPS://Shop.example:443,http://localhost:5173,http://[::1]:3000';
    const { allowedOrigins } = readConfig({ ALLOWED_ORIGINS: list });
    expect(allowedOrigins).toEqual([
      ...['https://dash.example', 'https://shop.example', 'http://localhost:5173', 'http://[::1]:3000'],
    ]);
  });
});
