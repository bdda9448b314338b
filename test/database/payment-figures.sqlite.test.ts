import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { checkFile } from '../../src/database/sqlite/file/check.js';
import { inspectFile } from '../../src/database/sqlite/file/inspect.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { MIGRATIONS } from '../../src/database/sqlite/migrations/index.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { FIGURES, KINDS, MIGRATED, MIGRATED_KINDS, olderPayments } from './older-payments.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = scratchFolder();
  file = join(folder, 'older.db');
  await migrateFile(file, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0022')));
  const database = new Sqlite(file);
  database.exec("insert into companies values (1, 'Acme', 0, 0)");
  for (const statement of olderPayments(String)) database.exec(statement);
  database.close();
});
afterEach(() => removeFolder(folder));

const read = (query: string): unknown => {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
};

it('payments of an older file are summed up, and so are their changes', async () => {
  await migrateFile(file);
  expect(read(FIGURES)).toEqual(MIGRATED);
  expect(read(KINDS)).toEqual(MIGRATED_KINDS);
  expect(checkFile(file)).toEqual([]);
  const database = new Sqlite(file);
  database.exec(
    "update transactions set brand = 'visa' where id < 100; delete from transactions where id > 250",
  );
  database.close();
  expect(checkFile(file)).toEqual([]);
});

it('an older file stays as it was where the program ends before all payments are summed up', async () => {
  const before = read('select count(*) as total from transactions');
  const upTo = Object.entries(MIGRATIONS).filter(([name]) => name < '0022');
  const ends = { up: () => Promise.reject(new Error('the end')) };
  const { '0022-payment-figures': figures } = MIGRATIONS;
  const both = { up: async (db: never) => figures?.up(db).then(ends.up) };
  await expect(
    migrateFile(file, { ...Object.fromEntries(upTo), '0022-payment-figures': both }),
  ).rejects.toThrow();
  expect(inspectFile(file).pending[0]).toBe('0022-payment-figures');
  expect(
    read("select count(*) as found from pragma_table_info('transactions') where name = 'brand'"),
  ).toEqual([{ found: 0 }]);
  expect(read('select count(*) as total from transactions')).toEqual(before);
  await migrateFile(file);
  expect(checkFile(file)).toEqual([]);
});
