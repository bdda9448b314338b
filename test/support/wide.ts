import { drawIds } from '../../src/database/company/ids.js';
import { sql } from 'kysely';

import { takeDeliveryStep } from '../../src/resources/notification/delivery.service.js';
import { takeRemovalStep } from '../../src/resources/removal/removal-steps.service.js';
import { fleet } from './fleet.js';
import type { Member, TestServer } from './server.js';
import { softwareOf, unique } from './software.js';

/** A group with many logical numbers, which all hold two versions of one app. */
export interface WideFleet {
  readonly group: number;
  readonly app: number;
  /** Path of the versions of the app. */
  readonly path: string;
  readonly versions: readonly [number, number];
  readonly numbers: readonly number[];
  /** Of the first logical number. */
  readonly number: string;
}

/** More than one transaction removes at once. */
export const MANY = 600;

/** Its logical numbers and links are written by plain SQL. */
export async function wideFleet(server: TestServer, member: Member, count = MANY): Promise<WideFleet> {
  const { client, caller } = member;
  const prefix = unique();
  const group = await fleet.group(client, prefix);
  const software = softwareOf(client);
  const path = await software.app();
  const version = async (): Promise<number> =>
    (await software.version(path, { group_ids: [group] })).id as number;
  const versions = [await version(), await version()] as const;
  const db = server.app.database.writes;
  const { companyId } = caller;
  const first = (await drawIds(db, 'logical_numbers', [{ companyId, count }])).get(companyId) ?? 0;
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into logical_numbers (company_id, id, number, group_id, revision, created_at, updated_at, created_by,
      created_via)
    select ${companyId}, ${first} - 1 + i, ${`${prefix}-`} || i, ${group}, 1, 0, 0, ${caller.userId}, 'api' from n`.execute(
    db,
  );
  await sql`insert into logical_number_app_versions (company_id, logical_number_id, app_version_id)
    select n.company_id, n.id, v.value from logical_numbers as n
    cross join json_each(${JSON.stringify(versions)}) as v
    where n.company_id = ${companyId} and n.group_id = ${group}`.execute(db);
  const { rows } = await sql<{ id: number }>`select id from logical_numbers
    where company_id = ${companyId} and group_id = ${group}
    order by id`.execute(db);
  const numbers = rows.map(({ id }) => id);
  return { group, app: Number(path.split('/')[1]), path, versions, numbers, number: `${prefix}-1` };
}

/** Gives a group or logical number as many parameters and metacontents. */
export async function fillOwner(
  server: TestServer,
  { caller }: Member,
  owner: { readonly group_id?: number; readonly logical_number_id?: number },
  count = MANY,
): Promise<void> {
  for (const table of ['parameters', 'metacontents']) {
    const db = server.app.database.writes;
    const { companyId } = caller;
    const first = (await drawIds(db, table, [{ companyId, count }])).get(companyId) ?? 0;
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into ${sql.table(table)} (company_id, id, group_id, logical_number_id, key, value, revision, created_at,
        updated_at, created_by, created_via)
      select ${companyId}, ${first} - 1 + i, ${owner.group_id ?? null}, ${owner.logical_number_id ?? null}, 'key ' || i,
        '"v"', 1, 0, 0, ${caller.userId}, 'api' from n`.execute(db);
  }
}

/** Takes the steps that are left, one after the other; resolves to the number of SQL statements of each. */
export async function takeSteps(server: TestServer): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const take of [takeRemovalStep, takeDeliveryStep]) {
    for (let company: number | null = 0; company !== null;) {
      const after: number = company;
      const { result, statements } = await server.statements(() => take(server.app.units, after));
      company = result;
      if (result !== null) counts.push(statements.length);
    }
  }
  return counts;
}

/** Number of rows that meet a condition. */
export async function rowsIn(server: TestServer, table: string, where = 'true'): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(table)}
    where ${sql.raw(where)}`.execute(server.app.database.reads);
  return rows[0]?.total ?? -1;
}
