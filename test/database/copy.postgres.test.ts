import Sqlite from 'better-sqlite3';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, inject, it } from 'vitest';

import { copyTables, type CopyValue } from '../../src/database/copy.js';
import type { Database } from '../../src/database/database.js';
import { openDatabase, openSource, openTarget } from '../../src/database/open.js';
import { SESSION_AS_SYSTEM } from '../../src/database/postgres/roles.js';
import { connect } from '../../src/database/sqlite/connect.js';
import { createUnits } from '../../src/database/units.js';
import type { Units } from '../../src/database/work.js';
import { createDemo } from '../../src/demo/demo.js';
import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import { logPartOf } from '../../src/domain/terminals/device-log/device-log.model.js';
import { cleanPart, storePart } from '../../src/domain/terminals/device-log/device-log.service.js';
import { systemClock } from '../../src/platform/clock.js';
import { ledgerChainHash } from '../../src/platform/hashes.js';
import { localCaller } from '../../src/platform/requests.js';
import { TABLE_NAMES } from '../../src/schema/schema.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { createDatabase, runAll } from '../support/postgres/boot.js';
import { runCommand, startCommand, type Outcome } from '../support/program.js';
import { scratchFolder } from '../support/scratch.js';

const TOKEN_SECRET = 'secret of the tests of copies: 0123456789';
const server = inject('postgres');
let demo: string;
/** The URL of a server with a copy of the demo. */
let copied: string;
beforeAll(async () => {
  demo = await demoFile();
  copied = await createDatabase(server);
  expect(await copy(urlOf(demo), copied)).toMatchObject({ code: 0 });
});

const urlOf = (file: string): string => `file:${file}`;
const newFile = (): string => join(scratchFolder(), 'copy.db');

/** A file with the records of the demo, to be changed by a test. */
function demoCopy(): string {
  const file = newFile();
  copyFileSync(demo, file);
  return file;
}

const copy = (from: string, to: string, ...more: string[]): Promise<Outcome> =>
  runCommand(['db', 'copy', '--from', from, '--to', to, '--json', ...more], to);

/** By table, what `db copy --json` says of the source. */
function checksums({ stdout }: Outcome): Readonly<Record<string, string>> {
  const { tables } = JSON.parse(stdout) as { tables: { name: string; checksum: string }[] };
  return Object.fromEntries(tables.map(({ name, checksum }) => [name, checksum]));
}

/** A file with the demo fleet, and with changes that have a chain of hashes. */
async function demoFile(): Promise<string> {
  const file = databaseFile();
  const database = connect(file);
  await createDemo(database, systemClock, { seed: 3, tokenSecret: TOKEN_SECRET });
  const units = createUnits(database, systemClock, { chain: ledgerChainHash(TOKEN_SECRET) });
  await addLog(database, units);
  const members = await database.reads.selectFrom('memberships').select(['company_id', 'user_id']).execute();
  for (const [index, { company_id, user_id }] of members.entries()) {
    const caller = localCaller({ companyId: company_id, userId: user_id, timeZone: 'UTC' });
    await units.write(caller, (work) => createGroup(work, { name: `chained ${index}` }));
  }
  await database.close();
  // Half of the payments are as good as all.
  expect(await runCommand(['db', 'prune', '--transactions', '15d'], urlOf(file))).toMatchObject({ code: 0 });
  return file;
}

/** Text of a log of more than one piece. */
const LOG = 'emoji 🏧 ação \\x \\N "quoted"\n'.repeat(20_000);

/** Stores a log of one of the terminals, as if it had sent it. */
async function addLog({ reads }: Database, units: Units): Promise<void> {
  const query = reads.selectFrom('devices').select(['company_id', 'id']);
  const { company_id: companyId, id } = await query.orderBy('id').executeTakeFirstOrThrow();
  const caller = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  const text = await cleanPart(companyId, Buffer.from(LOG));
  const part = logPartOf(new Map([['name', 'main.log']]));
  await units.write(caller, (work) => storePart(work, { id }, part, text));
}

/** Calls `use` with a connection, by which a test reads or changes a file as no command would. */
function inFile<T>(file: string, use: (database: Sqlite.Database) => T): T {
  const database = new Sqlite(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Runs a statement with the rows of all companies. */
async function asSystem(url: string, text: string): Promise<Record<string, unknown>[]> {
  const rows = await runAll(url, [SESSION_AS_SYSTEM, text]);
  return rows.slice(1);
}

/** All rows of all tables of a file, and the last ids that SQLite gave. */
function contentOf(file: string): Readonly<Record<string, unknown[]>> {
  return inFile(file, (database) =>
    Object.fromEntries(
      [...TABLE_NAMES, 'sqlite_sequence'].map((table) => {
        const columns = database.prepare(`select * from ${table}`).columns();
        const order = columns.map((_, index) => index + 1).join(', ');
        return [table, database.prepare(`select * from ${table} order by ${order}`).all()];
      }),
    ),
  );
}

/** Indexes, constraints, triggers, policies and grants of the tables of a server. */
async function schemaOf(url: string): Promise<readonly unknown[]> {
  return await runAll(url, [
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'
      union all select conrelid::regclass || ' ' || conname, format('%s %s', pg_get_constraintdef(oid), convalidated)
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select tgrelid::regclass || ' ' || tgname, format('%s %s', pg_get_triggerdef(oid), tgenabled)
        from pg_trigger where not tgisinternal
      union all select relname, format('%s %s %s', relrowsecurity, relforcerowsecurity, relacl)
        from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      order by 1, 2`,
  ]);
}

async function emptyServer(): Promise<string> {
  const url = await createDatabase(server);
  await (await openDatabase({ server: url })).close();
  return url;
}

async function verified(url: string) {
  const args = ['audit', 'verify', '--json'];
  const { code, stdout, stderr } = await runCommand(args, url, { TOKEN_SECRET, LEDGER_CHAIN: '1' });
  return { code, stdout, stderr };
}

describe('a copy from a file to a server, to another one and back', () => {
  it('CM-08 has the same tables row for row, logs, ids given and chains of the ledger', async () => {
    const [url, file] = [await emptyServer(), urlOf(newFile())];
    const before = await schemaOf(url);
    // Others may have the file open.
    const writer = await openDatabase({ file: demo });
    const there = await copy(urlOf(demo), url);
    await writer.close();
    expect(there).toMatchObject({ code: 0 });
    expect(Object.keys(checksums(there))).toEqual(TABLE_NAMES);
    expect(await schemaOf(url)).toEqual(before);
    const other = await createDatabase(server);
    for (const [from, to] of [
      [url, other],
      [other, file],
    ] as const) {
      expect(checksums(await copy(from, to))).toEqual(checksums(there));
    }
    expect(contentOf(file.slice(5))).toEqual(contentOf(demo));
    for (const target of [url, other]) {
      const chunks = await asSystem(target, 'select bytes from device_log_chunks order by sequence');
      expect(chunks.length).toBeGreaterThan(1);
      const text = chunks.map(({ bytes }) => gunzipSync(bytes as Buffer).toString()).join('');
      expect(text === LOG, 'the log of a terminal is as it was').toBe(true);
    }
    await expect(asSystem(other, 'update ledger set ip = null')).rejects.toThrow('permission denied');
    const [entry] = await asSystem(
      other,
      `insert into ledger (at, channel, action, entity_type, sequence) values (now(), 'x', 'x', 'x', 99)
        returning position`,
    );
    expect(Number(entry?.position)).toBeGreaterThan(contentOf(demo).ledger?.length ?? 0);
    const sound = await verified(urlOf(demo));
    expect(sound).toMatchObject({ code: 0, stdout: expect.stringContaining('"sound":') as string });
    for (const database of [url, file]) {
      expect(await verified(database)).toEqual(sound);
      expect(await runCommand(['db', 'check'], database)).toMatchObject({ code: 0 });
    }
  });

  it('refuses a table that it does not know', async () => {
    const url = await emptyServer();
    await runAll(url, ['create table later (id bigint primary key)']);
    const refused = await copy(urlOf(demo), url);
    expect(refused).toMatchObject({ code: 78 });
    expect(refused.stderr).toContain('db copy does not know later');
  });
});

/** Values that a conversion could change. */
const ODD = {
  text:
    'emoji 🏧 \u0001 tab\t line\n return\r back\\slash \\N \\. "quoted" \u{10ffff} ' + 'ä'.repeat(300_000),
  json: `{ "a" : 1.10e+2, "a":\t123456789012345678901234567890, "s":"\\u0041\\ud83d\\ude00\\/\\n\\u0001", "e":[ ] }`,
};

function addOddValues(file: string): void {
  inFile(file, (database) => {
    const id = database.prepare('select max(id) from devices').pluck().get();
    const device = database.prepare(
      'update devices set serial_number = ?, meta = ?, created_at = ? where id = ?',
    );
    device.run('\u{1f6f0}', ODD.json, -1, id);
    const row = database.prepare('select company_id, max(id) as id from transactions').get() as object;
    database
      .prepare(
        `update transactions set sent = @text, parsed = @json, amount = @amount, started_at = @early,
          finished_at = @late where company_id = @company_id and id = @id`,
      )
      .run({
        ...row,
        ...ODD,
        amount: Number.MAX_SAFE_INTEGER,
        early: -62_135_596_800_000,
        late: 253_402_300_800_001,
      });
  });
}

describe('odd values', () => {
  it('come back byte for byte', async () => {
    const file = demoCopy();
    addOddValues(file);
    const url = await createDatabase(server);
    expect(await copy(urlOf(file), url)).toMatchObject({ code: 0 });
    const back = newFile();
    expect(await copy(url, urlOf(back))).toMatchObject({ code: 0 });
    expect(contentOf(back)).toEqual(contentOf(file));
    expect(JSON.stringify(contentOf(back))).toContain(JSON.stringify(ODD.json));
  });

  it.each([
    [
      'a text that PostgreSQL cannot have, by table, column and key',
      `update groups set name = 'a' || char(0) || 'b' where rowid = (select min(rowid) from groups)`,
      /does not take groups.* in the row with company_id \d+, id \d+: .*0x00/,
    ],
    [
      'a number that is no whole number',
      'update apps set created_at = 1.5',
      /apps\.created_at has the number 1\.5/,
    ],
  ])('are refused: %s', async (_what, change, reason) => {
    const file = demoCopy();
    inFile(file, (database) => database.exec(change));
    const refused = await copy(urlOf(file), await createDatabase(server));
    expect(refused).toMatchObject({ code: 78 });
    expect(refused.stderr).toMatch(reason);
  });
});

describe('a target', () => {
  it('with records is refused, and says how many it has', async () => {
    const file = demoCopy();
    for (const target of [copied, urlOf(file)]) {
      for (const more of [[], ['--dry-run']]) {
        const refused = await copy(urlOf(demo), target, ...more);
        expect(refused).toMatchObject({ code: 1, stdout: '' });
        expect(refused.stderr).toMatch(/has \d{3,} rows, and is not an unfinished copy/);
      }
    }
    expect(contentOf(file)).toEqual(contentOf(demo));
  });

  it('that a server uses is refused', async () => {
    const url = await emptyServer();
    const database = await openDatabase({ server: url });
    try {
      const refused = await copy(urlOf(demo), url);
      expect(refused).toMatchObject({ code: 78 });
      expect(refused.stderr).toContain('is in use');
    } finally {
      await database.close();
    }
  });

  it('stays as it is in a dry run', async () => {
    const file = newFile();
    const url = await createDatabase(server);
    for (const target of [urlOf(file), url]) {
      const { code, stdout } = await copy(urlOf(demo), target, '--dry-run');
      const { rows, bytes, seconds } = JSON.parse(stdout) as Record<string, number>;
      expect(code).toBe(0);
      for (const number of [rows, bytes, seconds]) expect(number).toBeGreaterThan(0);
    }
    expect(() => contentOf(file)).toThrow('no such table');
    expect(await runAll(url, [`select from pg_tables where schemaname = 'public'`])).toEqual([]);
  });
});

/** Starts the command in a process of its own, and kills it at its first line of progress that `when` matches. */
async function killedCopy(from: string, to: string, when: RegExp): Promise<void> {
  const command = startCommand(['db', 'copy', '--from', from, '--to', to], null);
  command.process.stderr.on('data', () => {
    if (when.test(command.stderr())) command.process.kill('SIGKILL');
  });
  const { signal } = await command.ended;
  expect(command.stderr()).toMatch(when);
  expect(signal).toBe('SIGKILL');
}

describe('a copy that was killed', () => {
  const places: [string, () => Promise<string> | string][] = [
    ['server', () => createDatabase(server)],
    ['file', () => urlOf(newFile())],
  ];

  it.each(places)(
    'to a %s leaves nothing that a server starts on, and succeeds again',
    async (_kind, make) => {
      const target = await make();
      await killedCopy(urlOf(demo), target, /Copying: [3-9]0 %|Comparing/);
      const url = target.startsWith('file:') ? { file: target.slice(5) } : { server: target };
      await expect(openDatabase(url)).rejects.toThrow(/is an unfinished copy of .*db copy/);
      const serve = await runCommand(['serve'], target, { TOKEN_SECRET });
      expect(serve).toMatchObject({ code: 78 });
      expect(serve.stderr).toContain('Copy again with terminal-gateway db copy');
      const read = await copy(target, urlOf(newFile()));
      expect(read).toMatchObject({ code: 78 });
      expect(await copy(urlOf(demo), target)).toMatchObject({ code: 0 });
      expect(await copy(urlOf(demo), target, '--compare')).toMatchObject({ code: 0 });
    },
  );
});

describe('a value that changes on its way', () => {
  it('is found, and the target stays marked and empty', async () => {
    const url = await createDatabase(server);
    const source = await openSource({ file: demo });
    const target = await openTarget({ server: url }, demo, () => undefined);
    const insert = target.insert.bind(target);
    const changed = (value: CopyValue): CopyValue => (value === 'api' ? 'apj' : value);
    target.insert = (shape, rows) =>
      insert(shape, shape.name === 'groups' ? rows.map((row) => row.map(changed)) : rows);
    const silent = { copying: () => undefined, comparing: () => undefined };
    const comparisons = await copyTables(source, target, silent);
    await Promise.all([source.close(), target.close()]);
    const different = comparisons.filter((each) => each.source.checksum !== each.target.checksum);
    expect(different.map(({ name }) => name)).toEqual(['groups']);
    await expect(openDatabase({ server: url })).rejects.toThrow('unfinished copy');
    expect(await asSystem(url, 'select from groups')).toEqual([]);
  });

  it('is found by a comparison later', async () => {
    await asSystem(copied, `update devices set meta = '{}' where id = 1`);
    const { code, stderr } = await copy(urlOf(demo), copied, '--compare');
    expect(code).toBe(3);
    expect(stderr).toMatch(/^devices: \d+ rows with/m);
  });
});
