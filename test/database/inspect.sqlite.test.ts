import Sqlite from 'better-sqlite3';
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = join(folder, 'gateway.db');
});
afterEach(() => removeFolder(folder));

const sha256 = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function overwrite(offset: number, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, offset);
  closeSync(descriptor);
}

/** A database of another program. */
function makeForeign(): void {
  const database = new Sqlite(file);
  database.exec('create table notes (text)');
  database.pragma('journal_mode = WAL');
  database.close();
}

function makeNewer(): void {
  databaseFile(folder);
  const database = new Sqlite(file);
  database
    .prepare('insert into applied_migrations (name, applied_at) values (?, ?)')
    .run('9999-of-the-future', 0);
  database.close();
}

/** Enough records that the file has pages in the middle. */
function fill(): void {
  databaseFile(folder);
  const database = new Sqlite(file);
  const add = database.prepare('insert into companies (name, created_at, updated_at) values (?, 0, 0)');
  for (let n = 0; n < 500; n += 1) add.run(`company ${n}`);
  database.close();
}

interface Refusal {
  readonly what: string;
  readonly make: () => void;
  readonly reason: string;
  readonly says: RegExp;
}

const REFUSED: readonly Refusal[] = [
  {
    what: 'CF-09 a database whose header is overwritten',
    make: () => {
      databaseFile(folder);
      overwrite(0, randomBytes(16));
    },
    reason: 'foreign',
    says: /not a SQLite database.*db restore/,
  },
  {
    what: 'CF-09 a database that is cut off',
    make: () => {
      databaseFile(folder);
      truncateSync(file, 20_000);
    },
    reason: 'damaged',
    says: /is damaged.*db restore/,
  },
  {
    what: 'CF-09 a text file',
    make: () => writeFileSync(file, 'These are my notes, and no database at all.\n'.repeat(100)),
    reason: 'foreign',
    says: /not a SQLite database/,
  },
  {
    what: 'a file of a few bytes',
    make: () => writeFileSync(file, 'SQLite format 3\0'),
    reason: 'foreign',
    says: /not a SQLite database/,
  },
  {
    what: "another program's database",
    make: makeForeign,
    reason: 'foreign',
    says: /another program/,
  },
  {
    what: "another program's database with its log",
    make: () => {
      const there = join(folder, 'there.db');
      const database = new Sqlite(there);
      database.pragma('journal_mode = WAL');
      database.exec('create table notes (text)');
      copyFileSync(there, file);
      copyFileSync(`${there}-wal`, `${file}-wal`);
      database.close();
    },
    reason: 'damaged',
    says: /log of a database beside it/,
  },
  {
    what: 'CF-10 a database with random bytes in the middle',
    make: () => {
      fill();
      overwrite(4 * 4096, randomBytes(40_000));
    },
    reason: 'damaged',
    says: /is damaged/,
  },
  {
    what: 'CF-14 a database of a newer program',
    make: makeNewer,
    reason: 'newer',
    says: /newer than this program.*9999-of-the-future/,
  },
];

describe('a file that cannot be used', () => {
  it.each(REFUSED)('is refused and stays as it is: $what', async ({ make, reason, says }) => {
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
    [
      'no tables in it',
      () => {
        const database = new Sqlite(file);
        database.exec('create table t (a); drop table t; vacuum');
        database.close();
      },
    ],
  ])('is made where there is a file with %s', async (_what, make) => {
    make();
    expect(inspectFile(file).state).toBe('new');
    const database = await openDatabase(file);
    await database.close();
    expect(inspectFile(file).state).toBe('current');
  });

  it('gets what a process that died left in the log when it is opened, before anything new', async () => {
    const dying = await openDatabase(join(folder, 'dying.db'));
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
