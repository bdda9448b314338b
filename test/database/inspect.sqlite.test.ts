import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { closing } from '../../src/database/sqlite/file/open-file.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { databaseFile, overwrite } from '../support/databases/sqlite-place.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = join(folder, 'gateway.db');
});
afterEach(() => removeFolder(folder));

const sha256 = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Runs statements on a file; the last connection copies the log into it. */
const execute = (...statements: string[]): void =>
  closing(new Sqlite(file), (database) => statements.forEach((text) => database.exec(text)));

/** A database of another program. */
const makeForeign = (): void => execute('create table notes (text)', 'pragma journal_mode = WAL');

const REFUSED: readonly (readonly [what: string, make: () => void, reason: string, says: RegExp])[] = [
  [
    'CF-09 a database whose header is overwritten',
    () => {
      databaseFile(folder);
      overwrite(file, 0, randomBytes(16));
    },
    'foreign',
    /not a SQLite database.*db restore/,
  ],
  [
    'CF-09 a database that is cut off',
    () => truncateSync(databaseFile(folder), 20_000),
    'damaged',
    /is damaged.*db restore/,
  ],
  [
    'CF-09 a text file',
    () => writeFileSync(file, 'These are my notes, and no database at all.\n'.repeat(100)),
    'foreign',
    /not a SQLite database/,
  ],
  [
    'a file of a few bytes',
    () => writeFileSync(file, 'SQLite format 3\0'),
    'foreign',
    /not a SQLite database/,
  ],
  ["another program's database", makeForeign, 'foreign', /another program/],
  [
    "another program's database with its log",
    () => {
      const there = join(folder, 'there.db');
      const database = new Sqlite(there);
      database.pragma('journal_mode = WAL');
      database.exec('create table notes (text)');
      for (const suffix of ['', '-wal']) copyFileSync(there + suffix, file + suffix);
      database.close();
    },
    'damaged',
    /log of a database beside it/,
  ],
  [
    'CF-10 a database with random bytes in the middle',
    () => {
      databaseFile(folder);
      // Enough records that the file has pages in the middle.
      execute(`with recursive r(n) as (select 1 union all select n + 1 from r where n < 500)
        insert into companies (name, created_at, updated_at) select 'company ' || n, 0, 0 from r`);
      overwrite(file, 4 * 4096, randomBytes(40_000));
    },
    'damaged',
    /is damaged/,
  ],
  [
    'CF-14 a database of a newer program',
    () => {
      databaseFile(folder);
      execute(
        "insert into applied_migrations (name, applied_at, needs) values ('9999-of-the-future', 0, '9999-of-the-future')",
      );
    },
    'newer',
    /newer than this program.*9999-of-the-future/,
  ],
];

describe('a file that cannot be used', () => {
  it.each(REFUSED)('is refused and stays as it is: %s', async (_what, make, reason, says) => {
    make();
    const before = sha256();
    const refusal = { name: 'DatabaseRefused', reason, message: expect.stringMatching(says) as string };
    await expect(openDatabase(file, { exclusive: true })).rejects.toMatchObject(refusal);
    await expect(openDatabase(file)).rejects.toMatchObject(refusal);
    expect(() => inspectFile(file)).toThrow(file);
    expect(sha256()).toBe(before);
  });

  it('of another program gets nothing put beside it', async () => {
    makeForeign();
    await expect(openDatabase(file, { exclusive: true })).rejects.toThrow('another program');
    expect(readdirSync(folder)).toEqual(['gateway.db']);
  });

  it('is refused where the log of a lost database stands beside its empty place', async () => {
    writeFileSync(`${file}-wal`, 'a log');
    await expect(openDatabase(file)).rejects.toMatchObject({ reason: 'damaged' });
    expect(readFileSync(`${file}-wal`, 'utf8')).toBe('a log');
  });
});

describe('a file that can be used', () => {
  it('is made where there is none, for its owner only', async () => {
    const database = await openDatabase(join(folder, 'a', 'b', 'gateway.db'));
    const modes = ['gateway.db', 'gateway.db-wal', 'gateway.db-shm'].map(
      (name) => statSync(join(folder, 'a', 'b', name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    await database.close();
  });

  it.each([
    ['nothing in it', () => writeFileSync(file, '')],
    ['no tables in it', () => execute('create table t (a); drop table t; vacuum')],
  ])('is made where there is a file with %s', async (_what, make) => {
    make();
    expect(inspectFile(file).state).toBe('new');
    const database = await openDatabase(file);
    await database.close();
    expect(inspectFile(file).state).toBe('current');
  });

  it('gets what a process that died left in the log when it is opened, before anything new', async () => {
    const dying = await openDatabase(join(folder, 'dying.db'));
    // As if a server had used the file before: the next one would note the place first.
    await sql`update applied_migrations set place = ${file}`.execute(dying.writes);
    await dying.writes
      .insertInto('companies')
      .values({ name: 'Acme', created_at: new Date(0), updated_at: new Date(0) })
      .execute();
    for (const part of ['', '-wal']) copyFileSync(join(folder, `dying.db${part}`), `${file}${part}`);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(4096);
    await dying.close();
    const next = await openDatabase(file, { exclusive: true });
    expect(statSync(`${file}-wal`).size).toBe(0);
    expect(await next.reads.selectFrom('companies').select('name').execute()).toEqual([{ name: 'Acme' }]);
    await next.close();
  });

  it('is known by its first bytes even where it was never closed', async () => {
    const database = await openDatabase(join(folder, 'live.db'));
    copyFileSync(join(folder, 'live.db'), file);
    expect(inspectFile(file).state).toBe('current');
    await database.close();
  });
});
