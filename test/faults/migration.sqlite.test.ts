import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { MIGRATION_NAMES, MIGRATIONS, type Migrations } from '../../src/database/migrations.js';
import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { removeFolder } from '../support/scratch.js';
import { useScratchFolder } from './machine.js';

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

const ROWS = 100_000;
const SLOW = '9001-slow';
const SLOW_STATEMENTS = [
  'alter table companies add column note text',
  ...[0, 1, 2, 3].map((part) => `update companies set note = 'part ${part}' where id % 4 = ${part}`),
  'create index companies_note on companies (note)',
];
const MIGRATIONS_WITH_SLOW: Migrations = {
  ...MIGRATIONS,
  [SLOW]: {
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
  await migrateFile(file, slow === '[]' ? MIGRATIONS : { ...MIGRATIONS, '${SLOW}': { sqlite } }, watcher);
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

/** Migrates a file to the end; resolves to the number of statements. */
async function migrate(file: string, migrations: Migrations = MIGRATIONS): Promise<number> {
  let statements = 0;
  const onStatement = (): undefined => void (statements += 1);
  await migrateFile(file, migrations, { onStatement, onFatal: () => undefined, onFault: () => undefined });
  return statements;
}

function valueOf(file: string, query: string): unknown {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare(query).pluck().get();
  } finally {
    database.close();
  }
}

/** Calls `use` with each boundary, two at a time. */
async function forEachStatement(
  boundaries: readonly number[],
  use: (fatal: number) => Promise<void>,
): Promise<void> {
  const left = [...boundaries];
  const work = async (): Promise<void> => {
    for (let fatal = left.shift(); fatal !== undefined; fatal = left.shift()) await use(fatal);
  };
  await Promise.all([work(), work()]);
}

const upTo = (end: number, step = 1): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, n) => n * step);

describe('CF-15 kill -9 during a migration', () => {
  it(`of ${ROWS} rows, before any of its statements, leaves the old state`, async () => {
    const old = databaseFile(folder);
    const database = new Sqlite(old);
    database.exec(`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${ROWS})
      insert into companies (name, created_at, updated_at) select 'company ' || n, 0, 0 from n`);
    database.close();
    const known = [...MIGRATION_NAMES, SLOW];
    const probe = join(folder, 'probe.db');
    copyFileSync(old, probe);
    const statements = await migrate(probe, MIGRATIONS_WITH_SLOW);
    expect(statements).toBeGreaterThan(SLOW_STATEMENTS.length);

    await forEachStatement(upTo(statements), async (fatal) => {
      const file = join(folder, `killed-at-${fatal}.db`);
      copyFileSync(old, file);
      await killBefore(fatal, file, SLOW_STATEMENTS);
      expect(inspectFile(file, known).pending, `before statement ${fatal}`).toEqual([SLOW]);
      expect(valueOf(file, 'select count(*) from companies')).toBe(ROWS);
      const backup = `${file}.before-${SLOW}`;
      expect(inspectFile(backup).state).toBe('current');
      expect(valueOf(backup, 'pragma integrity_check')).toBe('ok');
      expect(valueOf(backup, 'select count(*) from companies')).toBe(ROWS);
      await migrate(file, MIGRATIONS_WITH_SLOW);
      expect(inspectFile(file, known).state).toBe('current');
      expect(valueOf(file, "select count(*) from companies where note = 'part ' || (id % 4)")).toBe(ROWS);
      expect(existsSync(`${backup}.2`)).toBe(false);
      for (const rest of ['', `.before-${SLOW}`]) removeFolder(file + rest);
    });
  });

  it('that makes the database leaves what the next start completes', async () => {
    const statements = await migrate(join(folder, 'probe.db'));
    expect(statements).toBeGreaterThan(40);
    await forEachStatement(upTo(statements, Math.ceil(statements / 20)), async (fatal) => {
      const file = join(folder, `killed-at-${fatal}.db`);
      await killBefore(fatal, file, []);
      await migrate(file);
      expect(inspectFile(file), `before statement ${fatal}`).toMatchObject({ state: 'current' });
    });
  });
});
