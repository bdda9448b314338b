import Sqlite from 'better-sqlite3';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { MIGRATION_NAMES } from '../../src/database/migrations/index.js';
import { inspectFile } from '../../src/database/sqlite/inspect.js';
import { databaseFile, removeFolder } from '../support/database.js';
import { useScratchFolder } from './machine.js';

let folder: string;
useScratchFolder((scratch) => ({ folder } = scratch));

const ROWS = 100_000;
const SLOW = '9001-slow';

/** Script that migrates a file and kills itself before the statement with the number `fatal`, if there is one. */
const CHILD = `
  const built = (path) => import(new URL(path, ${JSON.stringify(new URL('../../dist/', import.meta.url).href)}));
  const { migrateFile } = await built('database/sqlite/migrate.js');
  const { MIGRATIONS } = await built('database/migrations/index.js');
  const { sql } = await import('kysely');
  const [file, fatal, withSlow] = process.argv.slice(1);
  const slow = {
    up: async (db) => {
      await sql\`alter table companies add column note text\`.execute(db);
      for (let part = 0; part < 4; part += 1) {
        await sql\`update companies set note = \${'part ' + part} where id % 4 = \${part}\`.execute(db);
      }
      await sql\`create index companies_note on companies (note)\`.execute(db);
    },
  };
  let statements = 0;
  const onStatement = () => {
    if (statements === Number(fatal)) process.kill(process.pid, 'SIGKILL');
    statements += 1;
  };
  const watcher = { onStatement, onFatal: () => undefined, onFault: () => undefined };
  await migrateFile(file, withSlow ? { ...MIGRATIONS, '${SLOW}': slow } : MIGRATIONS, watcher);
  process.stdout.write(String(statements));
`;

/** Runs the script. Returns the number of statements, or null if it killed itself. */
async function migrate(file: string, fatal: number, withSlow: boolean): Promise<number | null> {
  const args = ['--input-type=module', '-e', CHILD, file, String(fatal), withSlow ? 'slow' : ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return signal === null ? Number(output) : null;
}

function valueOf(file: string, query: string): unknown {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare(query).pluck().get();
  } finally {
    database.close();
  }
}

/** Calls `use` with each number, two calls at a time. */
async function forEachStatement(
  numbers: readonly number[],
  use: (fatal: number) => Promise<void>,
): Promise<void> {
  const left = [...numbers];
  const work = async (): Promise<void> => {
    for (let fatal = left.shift(); fatal !== undefined; fatal = left.shift()) await use(fatal);
  };
  await Promise.all([work(), work()]);
}

const upTo = (end: number, step = 1): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, n) => n * step);

describe('CF-15 kill -9 during a migration', () => {
  it(
    `of ${ROWS} rows, before any of its statements, leaves the old schema`,
    { timeout: 120_000 },
    async () => {
      const old = databaseFile(folder);
      const database = new Sqlite(old);
      database.exec(`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${ROWS})
      insert into companies (name, created_at, updated_at) select 'company ' || n, 0, 0 from n`);
      database.close();
      const known = [...MIGRATION_NAMES, SLOW];
      const probe = join(folder, 'probe.db');
      copyFileSync(old, probe);
      const statements = (await migrate(probe, -1, true)) ?? 0;
      expect(statements).toBeGreaterThan(8);

      await forEachStatement(upTo(statements), async (fatal) => {
        const file = join(folder, `killed-at-${fatal}.db`);
        copyFileSync(old, file);
        expect(await migrate(file, fatal, true)).toBeNull();
        expect(inspectFile(file, known).pending, `before statement ${fatal}`).toEqual([SLOW]);
        expect(valueOf(file, 'select count(*) from companies')).toBe(ROWS);
        const backup = `${file}.before-${SLOW}`;
        expect(inspectFile(backup).state).toBe('current');
        expect(valueOf(backup, 'pragma integrity_check')).toBe('ok');
        expect(valueOf(backup, 'select count(*) from companies')).toBe(ROWS);
        expect(await migrate(file, -1, true)).not.toBeNull();
        expect(inspectFile(file, known).state).toBe('current');
        expect(valueOf(file, "select count(*) from companies where note = 'part ' || (id % 4)")).toBe(ROWS);
        expect(existsSync(`${backup}.2`)).toBe(false);
        for (const suffix of ['', `.before-${SLOW}`]) removeFolder(file + suffix);
      });
    },
  );

  it('that creates the database leaves a file that the next start completes', async () => {
    const statements = (await migrate(join(folder, 'probe.db'), -1, false)) ?? 0;
    expect(statements).toBeGreaterThan(40);
    await forEachStatement(upTo(statements, 7), async (fatal) => {
      const file = join(folder, `killed-at-${fatal}.db`);
      expect(await migrate(file, fatal, false)).toBeNull();
      await migrate(file, -1, false);
      expect(inspectFile(file), `before statement ${fatal}`).toMatchObject({ state: 'current' });
    });
  });
});
