import Sqlite from 'better-sqlite3';
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createSchema } from '../../src/app/graphql/schema.js';
import type { List } from '../../src/database/list/list.js';
import { handleOf } from '../../src/database/sqlite/connection.js';
import type { ReadWork } from '../../src/database/work.js';
import { declaredOf } from '../../src/graphql/schema/declared.js';
import { databaseFile } from '../support/databases/sqlite-place.js';
import { planOf } from '../support/query-plan.js';

const declared = Object.values((await createSchema()).getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()))
  .flatMap((field) => declaredOf(field) ?? []);
const children = new Set(declared.flatMap((each) => (each.kind === 'many' ? [each.children] : [])));
const lists = new Set([
  ...declared.flatMap((each) => ('list' in each ? [each.list] : [])),
  ...[...children].map(({ list }) => list),
]);

let database: Sqlite.Database;
let sent: string[] = [];
let work: ReadWork;
beforeAll(() => {
  database = new Sqlite(databaseFile());
  const db = handleOf(({ sql }) => {
    sent.push(sql);
    return Promise.resolve({ rows: [] });
  });
  work = { db, caller: { companyId: 1 }, now: new Date(0) } as unknown as ReadWork;
});
afterAll(() => void database.close());

/** Columns of each index of a table, and the id: SQLite could read them from the index alone. */
function narrowColumns({ listing: { table, id } }: List<unknown>): string[][] {
  const indexes = database.pragma(`index_list(${table})`) as { name: string }[];
  return indexes.map(({ name }) => {
    const columns = database.pragma(`index_info("${name}")`) as { name: string | null }[];
    return [...new Set([id, ...columns.flatMap((column) => column.name ?? [])])];
  });
}

/** Steps of the statements that `read` sends which read all rows of a company, or of a table. */
async function longSteps(read: () => Promise<unknown>): Promise<string[]> {
  sent = [];
  await read();
  expect(sent).toHaveLength(1);
  const steps = sent.flatMap((statement) => planOf(database, statement));
  return steps.filter((step) => /\(company_id=\?\)$|^SCAN (?!p\b|found\b|json_each|CONSTANT)/.test(step));
}

describe('rows are found by their ids, also if an index has all columns that are read,', () => {
  it.each([...lists].map((list) => [list.listing.table, list] as const))(
    'in the list %s',
    async (_name, list) => {
      for (const columns of narrowColumns(list))
        expect([columns, await longSteps(() => list.only(columns).byIds(work, [1, 2]))]).toEqual([
          columns,
          [],
        ]);
    },
  );

  const numbered = [...children].map(
    (child, index) => [`${child.list.listing.table}, ${index}`, child] as const,
  );
  it.each(numbered)('in pages of %s', async (_name, child) => {
    const page = { order: child.list.orders[0] ?? '', descending: false, backward: false, limit: 3 };
    const request = { ...page, key: null, condition: null };
    for (const columns of narrowColumns(child.list))
      expect([columns, await longSteps(() => child.only(columns).slices(work, [1, 2], request))]).toEqual([
        columns,
        [],
      ]);
  });
});
