import { audited, insertMany, insertRows } from './databases/rows.js';
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
  /** Number of the first logical number, the prefix followed by `-1`. */
  readonly number: string;
}

/** More than one statement deletes. */
export const MANY = 600;

/** Plain SQL writes its logical numbers and links. */
export async function wideFleet(server: TestServer, member: Member, count = MANY): Promise<WideFleet> {
  const { client, caller } = member;
  const prefix = unique();
  const group = await fleet.group(client, prefix);
  const software = softwareOf(client);
  const path = await software.app();
  const version = async (): Promise<number> =>
    (await software.version(path, { group_ids: [group] })).id as number;
  const versions = [await version(), await version()] as const;
  const numbers = await insertMany(server.place, ['logical_numbers', caller.companyId, count], (n) => ({
    number: `${prefix}-${n}`,
    group_id: group,
    ...audited(caller.userId),
  }));
  const links = versions.flatMap((version) =>
    numbers.map((number) => ({
      company_id: caller.companyId,
      logical_number_id: number,
      app_version_id: version,
    })),
  );
  await insertRows(server.place, 'logical_number_app_versions', links);
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
    const values = { group_id: owner.group_id ?? null, logical_number_id: owner.logical_number_id ?? null };
    await insertMany(server.place, [table, caller.companyId, count], (n) => ({
      ...values,
      key: `key ${n}`,
      value: '"v"',
      ...audited(caller.userId),
    }));
  }
}

/** Number of rows that meet a condition. */
export async function rowsIn(server: TestServer, table: string, where = 'true'): Promise<number> {
  const [row] = await server.place.sql<{ total: number }>(
    `select count(*) as total from ${table} where ${where}`,
  );
  return row?.total ?? -1;
}
