import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Migration, MIGRATIONS, namesOf } from '../../src/database/migrations.js';
import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { reading } from '../../src/database/sqlite/file/open-file.js';
import { openDatabase } from '../../src/database/sqlite/open.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { beforePart, NAMES, noteOfGroups } from './invented-migrations.js';

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

const onSqlite = (...statements: string[]): Migration => ({
  needs: null,
  sqlite: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
  postgres: () => Promise.resolve(),
});
const addsNote = onSqlite(
  'alter table companies add column note text',
  "update companies set note = 'migrated'",
);
const fails = onSqlite('alter table companies add column half text', 'select no_such_function()');
const withOneMore = { ...MIGRATIONS, '9001-note': addsNote };

function read(path: string, query: string): unknown {
  return reading(path, (database) => database.prepare(query).all());
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

  it('makes no backup where there is nothing to lose', async () => {
    const fresh = join(folder, 'fresh.db');
    expect((await migrateFile(fresh)).backup).toBeNull();
    expect(readdirSync(folder).filter((name) => name.includes('before'))).toEqual([]);
  });

  it('keeps nothing of a migration that fails, but those before it', async () => {
    const migrations = { ...withOneMore, '9002-fails': fails };
    await expect(migrateFile(file, migrations)).rejects.toThrow('The migration 9002-fails failed');
    const { applied, pending } = inspectFile(file, namesOf(migrations));
    expect([applied.at(-1), pending]).toEqual(['9001-note', ['9002-fails']]);
    const columns = read(file, "select name from pragma_table_info('companies')") as { name: string }[];
    expect(columns.map(({ name }) => name)).toEqual([
      'id',
      'name',
      'time_zone',
      'currency',
      'response_texts',
      'created_at',
      'updated_at',
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

  it('adds a column, fills it in parts, and goes on with the parts that are left', async () => {
    const audit = "1, 0, 0, 'api'";
    const database = new Sqlite(file);
    database.exec(`insert into groups (company_id, id, name, revision, created_at, updated_at, created_via)
      values ${[1, 2, 3, 4, 5].map((id) => `(1, ${id}, 'group ${id}', ${audit})`).join()}`);
    database.close();
    const filled = (): unknown =>
      read(file, "select count(note) as filled from groups where note = 'note of ' || name");
    const stop = beforePart(3, () => {
      throw new Error('power cut');
    });
    await expect(migrateFile(file, noteOfGroups(stop))).rejects.toThrow('9102-group-notes failed');
    expect(filled()).toEqual([{ filled: 4 }]);
    expect((await migrateFile(file, noteOfGroups())).applied).toEqual(NAMES.slice(1));
    expect(filled()).toEqual([{ filled: 5 }]);
    expect(inspectFile(file, namesOf(noteOfGroups())).state).toBe('current');
  });

  it('is done once where several start on a new file together', async () => {
    const fresh = join(folder, 'fresh.db');
    const all = await Promise.all([1, 2, 3].map(() => openDatabase(fresh)));
    for (const database of all) await database.close();
    expect(inspectFile(fresh).state).toBe('current');
    expect(existsSync(`${fresh}.before-0001-schema`)).toBe(false);
  });
});
