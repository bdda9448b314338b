import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { MIGRATIONS } from '../../src/database/sqlite/migrations/index.js';
import { checkFile } from '../../src/database/sqlite/file/check.js';
import { migrateFile } from '../../src/database/sqlite/file/migrate.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

const AUDIT = "1, 0, 0, null, 'api'";
const AUDITED = 'revision, created_at, updated_at, created_by, created_via';

it('keeps records and their links, gives no id twice, and numbers the ledger of each company', async () => {
  const file = join(folder, 'older.db');
  await migrateFile(file, Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0010')));
  const older = new Sqlite(file);
  older.exec(`insert into companies values (1, 'Acme', 0, 0), (2, 'Beta', 0, 0);
    insert into groups (id, company_id, name, ${AUDITED}) values (3, 1, 'a', ${AUDIT}), (4, 2, 'b', ${AUDIT});
    insert into logical_numbers (id, company_id, number, group_id, ${AUDITED})
      values (8, 1, 'n', 3, ${AUDIT}), (9, 2, 'n', 4, ${AUDIT});
    insert into contents (id, company_id, size, crc, sha256, created_at) values (5, 2, 1, '', '', 0);
    insert into content_chunks (company_id, content_id, sequence, bytes) values (2, 5, 0, x'00');
    insert into ledger (company_id, at, channel, action, entity_type, entity_id) values
      (1, 1, 'api', 'create', 'group', 3), (2, 2, 'api', 'create', 'group', 4), (null, 3, 'api', 'x', 'y', null),
      (2, 4, 'api', 'create', 'group', 6), (2, 5, 'api', 'delete', 'group', 6), (1, 6, 'api', 'x', 'y', null)`);
  older.close();
  await migrateFile(file);
  const migrated = new Sqlite(file, { readonly: true });
  const rows = (query: string): unknown[] => migrated.prepare(query).raw().all();
  expect(rows('select company_id, id, group_id from logical_numbers order by id')).toEqual([
    [1, 8, 3],
    [2, 9, 4],
  ]);
  expect(rows('select company_id, content_id from content_chunks')).toEqual([[2, 5]]);
  expect(rows("select company_id, total, last_drawn from counters where name = 'groups' order by 1")).toEqual(
    [
      [1, 1, 3],
      [2, 1, 6],
    ],
  );
  expect(rows('select position, company_id, sequence from ledger order by position')).toEqual([
    [1, 1, 1],
    [2, 2, 1],
    [3, null, 1],
    [4, 2, 2],
    [5, 2, 3],
    [6, 1, 2],
  ]);
  migrated.close();
  expect(checkFile(file)).toEqual([]);
});
