import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { MIGRATION_NAMES, MIGRATIONS, type Migrations } from '../../src/database/migrations.js';
import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { reading } from '../../src/database/sqlite/file/open-file.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { runTool, useScratchFolder } from './machine.js';

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

const ROWS = 20_000;
const SLOW = '9001-slow';
const SLOW_STATEMENTS = [
  'alter table companies add column note text',
  ...[0, 1, 2, 3].map((part) => `update companies set note = 'part ${part}' where id % 4 = ${part}`),
  'create index companies_note on companies (note)',
];
const MIGRATIONS_WITH_SLOW: Migrations = {
  ...MIGRATIONS,
  [SLOW]: {
    needs: null,
    sqlite: async (db) => {
      for (const statement of SLOW_STATEMENTS) await sql.raw(statement).execute(db);
    },
    postgres: () => Promise.resolve(),
  },
};

/** Migrates a file in a process of its own, which kills itself before the statement of the given index. */
const CHILD = `
  const ours = (path) => import(new URL(path, ${JSON.stringify(new URL('../../src/', import.meta.url).href)}));
  const { migrateFile } = await ours('database/sqlite/file/migrate.ts');
  const { MIGRATIONS } = await ours('database/migrations.ts');
  const { sql } = await import('kysely');
  const [file, fatal, slow] = process.argv.slice(1);
  const sqlite = async (db) => {
    for (const statement of JSON.parse(slow)) await sql.raw(statement).execute(db);
  };
  let statements = 0;
  const onStatement = () => {
    if (statements === Number(fatal)) process.kill(process.pid, 'SIGKILL');
    statements += 1;
  };
  const watcher = { onStatement, onFatal: () => undefined, onFault: () => undefined };
  await migrateFile(file, slow === '[]' ? MIGRATIONS : { ...MIGRATIONS, '${SLOW}': { needs: null, sqlite } }, watcher);
`;

/** Begins to migrate a file and kills the process before the statement of index `fatal`. */
async function killBefore(fatal: number, file: string, slow: readonly string[]): Promise<void> {
  const args = [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    CHILD,
    file,
    String(fatal),
    JSON.stringify(slow),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
}

/** Migrates a file to the end, and calls `before` with the index of each statement; resolves to their number. */
async function migrate(
  file: string,
  migrations: Migrations = MIGRATIONS,
  before: (statement: number) => void = () => undefined,
): Promise<number> {
  let statements = 0;
  const onStatement = (): undefined => {
    before(statements);
    statements += 1;
  };
  await migrateFile(file, migrations, { onStatement, onFatal: () => undefined, onFault: () => undefined });
  return statements;
}

/** Migrates the only file of a folder; resolves to copies of it as kill -9 leaves it before every `step`-th statement. */
async function leftByKills(file: string, migrations: Migrations, step: number): Promise<readonly string[]> {
  const copies: string[] = [];
  await migrate(file, migrations, (statement) => {
    if (statement % step !== 0) return;
    const copy = join(folder, `before-${statement}`);
    // Not by this process: closing a file would release the locks that SQLite holds on it.
    runTool('cp', '-a', dirname(file), copy);
    copies.push(join(copy, basename(file)));
  });
  return copies;
}

function valueOf(file: string, query: string): unknown {
  return reading(file, (database) => database.prepare(query).pluck().get());
}

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

// One process is killed in each test; the files that kills at the other statements leave are copied.
describe('CF-15 kill -9 during a migration', () => {
  it(`of ${ROWS} rows, before any of its statements, leaves the old state`, async () => {
    const file = databaseFile(emptyFolder('live'));
    const database = new Sqlite(file);
    database.exec(`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${ROWS})
      insert into companies (name, created_at, updated_at) select 'company ' || n, 0, 0 from n`);
    database.close();
    const killed = join(folder, 'killed', basename(file));
    runTool('cp', '-a', dirname(file), dirname(killed));
    const known = [...MIGRATION_NAMES, SLOW];
    const copies = await leftByKills(file, MIGRATIONS_WITH_SLOW, 1);
    expect(copies.length).toBeGreaterThan(SLOW_STATEMENTS.length);
    await killBefore(Math.floor(copies.length / 2), killed, SLOW_STATEMENTS);

    for (const left of [...copies, killed]) {
      expect(inspectFile(left, known).pending, left).toEqual([SLOW]);
      expect(valueOf(left, 'select count(*) from companies')).toBe(ROWS);
      const backup = `${left}.before-${SLOW}`;
      expect(inspectFile(backup).state).toBe('current');
      expect(valueOf(backup, 'pragma integrity_check')).toBe('ok');
      expect(valueOf(backup, 'select count(*) from companies')).toBe(ROWS);
      await migrate(left, MIGRATIONS_WITH_SLOW);
      expect(inspectFile(left, known).state).toBe('current');
      expect(valueOf(left, "select count(*) from companies where note = 'part ' || (id % 4)")).toBe(ROWS);
      expect(existsSync(`${backup}.2`)).toBe(false);
    }
  });

  it('that makes the database leaves what the next start completes', async () => {
    const statements = await migrate(join(folder, 'probe.db'));
    expect(statements).toBeGreaterThan(40);
    const file = join(emptyFolder('live'), 'gateway.db');
    const copies = await leftByKills(file, MIGRATIONS, Math.ceil(statements / 20));
    const killed = join(folder, 'killed.db');
    await killBefore(Math.floor(statements / 2), killed, []);
    for (const left of [...copies, killed]) {
      await migrate(left);
      expect(inspectFile(left), left).toMatchObject({ state: 'current' });
    }
  });
});
