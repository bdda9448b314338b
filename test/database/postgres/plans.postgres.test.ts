import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';

import { specialSql } from '../../../src/database/company/company-rows.js';
import { inPairs, pairTable, type Sql } from '../../../src/database/storage.js';
import type { Caller } from '../../../src/platform/requests.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';

const { node, admin } = openNodes(1);
const GROUPS = 20_000;
let caller: Caller;

beforeAll(async () => {
  ({ caller } = await addCompany(node(0)));
  await admin(
    `insert into groups (company_id, id, name, revision, created_at, updated_at, created_via)
     select $1, id, 'group ' || id, 1, now(), now(), 'api' from generate_series(1000, $2::int) as new (id)`,
    [caller.companyId, 1_000 + GROUPS],
  );
  await admin('analyze groups', []);
});

async function planOf(query: Sql): Promise<string> {
  return await node(0).units.read(caller, async (work) => {
    const { rows } = await sql<Record<string, string>>`explain ${query}`.execute(specialSql(work).db);
    return rows.flatMap((row) => Object.values(row)).join('\n');
  });
}

/** Under row-level security, an index is looked up by a column and not by a conversion of a value. */
describe('PostgreSQL looks up an index for', () => {
  const own = (): Sql => sql`t.company_id = ${caller.companyId}`;

  it.each<[string, () => Sql]>([
    [
      'a table of pairs',
      () => sql`select t.name from ${pairTable('integer', [[1_001, 1]])} join groups as t on t.id = pair.id
        where ${own()}`,
    ],
    [
      'pairs in a subquery, as of rows that are deleted',
      () => sql`select t.name from groups as t where ${own()}
        and (t.id, t.revision) in (select pair.id, pair.other from ${pairTable('integer', [[1_001, 1]])})`,
    ],
    [
      'a list of pairs',
      () =>
        sql`select t.name from groups as t where (t.company_id, t.id) ${inPairs([[caller.companyId, 1_001]])}`,
    ],
  ])('%s', async (_name, query) => {
    const plan = await planOf(query());
    expect(plan).toContain('Index');
    expect(plan).not.toContain('Seq Scan on groups');
  });
});
