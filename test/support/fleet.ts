import { expect } from 'vitest';

import type { WriteWork } from '../../src/database/work.js';
import { recordEach } from '../../src/domain/payments/transaction/recording/transaction-recording.service.js';
import { fileForm, type Client, type Fields } from './client.js';
import { audited, insertMany, insertRows } from './databases/rows.js';
import { type Member, type Reply, type TestServer, withoutSightings } from './server.js';

type Body = Fields | FormData;

/** Creates a record; resolves to its fields. */
export async function created(client: Client, path: string, key: string, body: Body): Promise<Fields> {
  const reply = await client.post(path, body);
  expect(reply.status, `${path}: ${reply.text}`).toBe(201);
  return reply.record(key);
}

/** Creates a record; resolves to its id. */
export const createdId = async (...parts: Parameters<typeof created>): Promise<number> =>
  (await created(...parts)).id as number;

/** Creates records through REST; every request must succeed and resolves to the id of the record. */
export const fleet = {
  group: (client: Client, name: string) => createdId(client, 'groups', 'group', { name }),
  logicalNumber: (client: Client, number: string, more: Fields = {}) =>
    createdId(client, 'logical_numbers', 'logical_number', { number, ...more }),
  device: (client: Client, serialNumber: string, more: Fields = {}) =>
    createdId(client, 'devices', 'device', { serial_number: serialNumber, ...more }),
  app: (client: Client, name: string, more: Fields = {}) =>
    createdId(client, 'apps', 'app', { name, ...more }),
  file: (client: Client, name: string, bytes: string | Uint8Array = 'x') =>
    createdId(client, 'files', 'file', fileForm(name, bytes)),
  /** Creates versions of a new app, linked to the given groups; resolves to their ids, ascending. */
  appVersions: async (client: Client, count: number, groupIds: readonly number[]): Promise<number[]> => {
    const software = softwareOf(client);
    const path = await software.app();
    const ids: number[] = [];
    while (ids.length < count) ids.push((await software.version(path, { group_ids: groupIds })).id as number);
    return ids;
  },
};

/** Status of a refusal, and the fields that its errors name. */
export const errorsOf = ({ status, body }: Reply): readonly [number, string[]] => [
  status,
  Object.keys(body.errors ?? {}),
];

/** Ids of the app versions of a logical number. */
export const versionIdsOf = async (client: Client, number: string): Promise<unknown> =>
  (await client.get(`logical_numbers/${encodeURIComponent(number)}`)).record('logical_number')
    .app_version_ids;

let names = 0;
/** A name that no other record of the test has. */
export const unique = (): string => `name ${++names}`;

export type Software = ReturnType<typeof softwareOf>;

/** Creates apps, versions and files through REST; every request must succeed. */
export function softwareOf(client: Client) {
  /** Creates an app; resolves to the path of its versions. */
  const app = async (fields: Fields = {}): Promise<string> =>
    `apps/${await fleet.app(client, unique(), fields)}/versions`;
  const version = (path: string, fields: Fields = {}): Promise<Fields> =>
    created(client, path, 'app_version', { number: unique(), ...fields });
  return {
    app,
    version,
    /** Each creates a record and resolves to its id; `module` is a version of a new app of kind `module`. */
    group: () => fleet.group(client, unique()),
    module: async (fields: Fields = {}) =>
      (await version(await app({ kind: 'module' }), fields)).id as number,
    file: () => fleet.file(client, unique()),
  };
}

/** The number of all records of a list of REST. */
export async function totalIn(client: Client, path: string, selector?: Fields): Promise<number> {
  const { body } = await client.get(path, selector);
  return (body.pagination as { total_entries: number }).total_entries;
}

export interface Entry {
  readonly action: string;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** The ledger entries of a record, oldest first. */
export async function ledgerOf(
  { place }: TestServer,
  { caller }: Member,
  entityType: string,
  entityId: number,
): Promise<Entry[]> {
  const rows = await place.sql<{ action: string; before: string | null; after: string | null }>(
    `select action, before, after from ledger
     where company_id = $1 and entity_type = $2 and entity_id = $3 order by position`,
    [caller.companyId, entityType, entityId],
  );
  const state = (text: string | null): Fields | null => (text === null ? null : (JSON.parse(text) as Fields));
  return rows.map((row) => ({ action: row.action, before: state(row.before), after: state(row.after) }));
}

/** The actions of the ledger entries of a record, oldest first. */
export const actionsOf = async (...record: Parameters<typeof ledgerOf>): Promise<string[]> =>
  (await ledgerOf(...record)).map(({ action }) => action);

/** Number of SQL statements of a request on its second run, when all caches are filled. */
export async function statementsOf(server: TestServer, request: () => Promise<unknown>): Promise<number> {
  await request();
  return withoutSightings((await server.statements(request)).statements).length;
}

/** More than one statement deletes. */
export const MANY = 600;

export type WideFleet = Awaited<ReturnType<typeof wideFleet>>;

/** A group with many logical numbers, which all hold two versions of one app. Plain SQL writes numbers and links. */
export async function wideFleet(server: TestServer, member: Member, count = MANY) {
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
  const { companyId: company_id } = caller;
  const links = versions.flatMap((app_version_id) =>
    numbers.map((logical_number_id) => ({ company_id, logical_number_id, app_version_id })),
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

/** Stores new transactions, or throws the problem of the first that is refused, which undoes the unit of work. */
export async function recordAll(work: WriteWork, rows: readonly unknown[]) {
  const ids = (await recordEach(work, rows)).map(({ transaction, problem }) => {
    if (problem !== null) throw problem;
    return transaction.id;
  });
  return { count: ids.length, firstId: ids[0] ?? null, lastId: ids.at(-1) ?? null };
}

/** CRC-16/XMODEM by its arithmetic, without the tables of the server: 4 upper-case hexadecimal digits. */
export function crcOf(bytes: Uint8Array): string {
  const crc = bytes.reduce((before, byte) => {
    const high = (before >> 8) ^ byte;
    const mixed = high ^ (high >> 4);
    return ((before << 8) ^ (mixed << 12) ^ (mixed << 5) ^ mixed) & 0xffff;
  }, 0);
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
