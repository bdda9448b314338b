import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, inject, it } from 'vitest';

import { copyTables, type CopyValue } from '../../../src/database/copy.js';
import { openDatabase, openSource, openTarget } from '../../../src/database/open.js';
import { TABLE_NAMES } from '../../../src/schema/schema.js';
import { createDatabase } from '../../support/postgres/boot.js';
import { runCommand } from '../../support/program.js';
import {
  asSystem,
  checksums,
  contentOf,
  copy,
  demoFile,
  inFile,
  inServer,
  newFile,
  schemaOf,
  TOKEN_SECRET,
} from './copies.js';

const server = inject('postgres');
let demo: string;
const urlOf = (file: string): string => `file:${file}`;

beforeAll(async () => {
  demo = await demoFile();
});

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

describe('a copy from a file to a server and back', () => {
  it('has the same tables row for row, ids given and chains of the ledger', async () => {
    const url = await createDatabase(server);
    const there = await copy(urlOf(demo), url);
    expect(there).toMatchObject({ code: 0 });
    const file = newFile();
    const back = await copy(url, urlOf(file));
    expect(back).toMatchObject({ code: 0 });
    expect(checksums(back)).toEqual(checksums(there));
    expect(Object.keys(checksums(there))).toEqual(TABLE_NAMES);
    expect(contentOf(file)).toEqual(contentOf(demo));
    const before = await verified(urlOf(demo));
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('"sound":') as string });
    for (const database of [url, urlOf(file)]) {
      expect(await verified(database)).toEqual(before);
      expect(await runCommand(['db', 'check'], database)).toMatchObject({ code: 0 });
    }
  });

  it('leaves the indexes, constraints, triggers and policies of the server as they were', async () => {
    const url = await emptyServer();
    const before = await schemaOf(url);
    expect(await copy(urlOf(demo), url)).toMatchObject({ code: 0 });
    expect(await schemaOf(url)).toEqual(before);
    await expect(asSystem(url, 'update ledger set ip = null')).rejects.toThrow('permission denied');
    const [entry] = (await asSystem(
      url,
      `insert into ledger (at, channel, action, entity_type, sequence) values (now(), 'x', 'x', 'x', 99)
        returning position`,
    )) as { position: string }[];
    const last = contentOf(demo).ledger?.length ?? 0;
    expect(Number(entry?.position)).toBeGreaterThanOrEqual(last + 1);
  });

  it('goes from file to file and from server to server too', async () => {
    const file = newFile();
    expect(await copy(urlOf(demo), urlOf(file))).toMatchObject({ code: 0 });
    expect(contentOf(file)).toEqual(contentOf(demo));
    const [one, other] = [await createDatabase(server), await createDatabase(server)];
    expect(await copy(urlOf(file), one)).toMatchObject({ code: 0 });
    expect(await copy(one, other)).toMatchObject({ code: 0 });
    expect(await copy(urlOf(demo), other, '--compare')).toMatchObject({ code: 0 });
  });

  it('reads a file that others have open', async () => {
    const url = await createDatabase(server);
    const writer = await openDatabase({ file: demo });
    try {
      expect(await copy(urlOf(demo), url)).toMatchObject({ code: 0 });
    } finally {
      await writer.close();
    }
  });
});

describe('the list of tables', () => {
  it('has every table of both databases', async () => {
    const url = await emptyServer();
    for (const place of [{ file: demo }, { server: url }]) await (await openSource(place)).close();
  });

  it('refuses a table that it does not know', async () => {
    const url = await emptyServer();
    await inServer(url, (client) => client.query('create table later (id bigint primary key)'));
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
    const file = newFile();
    await copy(urlOf(demo), urlOf(file));
    addOddValues(file);
    const url = await createDatabase(server);
    expect(await copy(urlOf(file), url)).toMatchObject({ code: 0 });
    const back = newFile();
    expect(await copy(url, urlOf(back))).toMatchObject({ code: 0 });
    expect(contentOf(back)).toEqual(contentOf(file));
    expect(JSON.stringify(contentOf(back))).toContain(JSON.stringify(ODD.json));
  });

  it('are refused where PostgreSQL has no such text, by table, column and key', async () => {
    const file = newFile();
    await copy(urlOf(demo), urlOf(file));
    inFile(file, (database) =>
      database
        .prepare('update groups set name = ? where rowid = (select min(rowid) from groups)')
        .run('a\u0000b'),
    );
    const refused = await copy(urlOf(file), await createDatabase(server));
    expect(refused).toMatchObject({ code: 78 });
    expect(refused.stderr).toMatch(/does not take groups.* in the row with company_id \d+, id \d+: .*0x00/);
  });

  it('are refused where a number of SQLite is no whole number', async () => {
    const file = newFile();
    await copy(urlOf(demo), urlOf(file));
    inFile(file, (database) => database.exec('update apps set created_at = 1.5'));
    const refused = await copy(urlOf(file), await createDatabase(server));
    expect(refused).toMatchObject({ code: 78 });
    expect(refused.stderr).toContain('apps.created_at has the number 1.5');
  });
});

describe('a target', () => {
  it('with records is refused, and says how many it has', async () => {
    const url = await createDatabase(server);
    await copy(urlOf(demo), url);
    const file = newFile();
    await copy(urlOf(demo), urlOf(file));
    for (const target of [url, urlOf(file)]) {
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
    const tables = await inServer(url, (client) =>
      client.query(`select from pg_tables where schemaname = 'public'`),
    );
    expect(tables.rowCount).toBe(0);
  });
});

/** Starts the command in a process of its own, and kills it at its first line of progress that `when` matches. */
async function killedCopy(from: string, to: string, when: RegExp): Promise<void> {
  const script = `import { createCommandIo } from './src/cli/command-io.ts';
    import { runCommandLine } from './src/cli/program.ts';
    await runCommandLine(process.argv.slice(1), createCommandIo({}, 'tg', process));`;
  const args = ['db', 'copy', '--from', from, '--to', to];
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (when.test(text)) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'exit')) as [number, string];
  expect(text).toMatch(when);
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
    const url = await createDatabase(server);
    await copy(urlOf(demo), url);
    await asSystem(url, `update devices set meta = '{}' where id = 1`);
    const { code, stderr } = await copy(urlOf(demo), url, '--compare');
    expect(code).toBe(3);
    expect(stderr).toMatch(/^devices: \d+ rows with/m);
  });
});
