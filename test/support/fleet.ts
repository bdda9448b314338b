import { expect } from 'vitest';

import type { Client, Fields } from './client.js';
import type { Member, TestServer } from './server.js';
import { softwareOf } from './software.js';

/** Creates a record; resolves to its fields. */
async function created(client: Client, path: string, key: string, body: Fields): Promise<Fields> {
  const reply = await client.post(path, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.record(key);
}

/** Creates records through REST; every request must succeed and resolves to the id of the record. */
export const fleet = {
  group: async (client: Client, name: string): Promise<number> =>
    (await created(client, 'groups', 'group', { name })).id as number,
  logicalNumber: async (client: Client, number: string, more: Fields = {}): Promise<number> =>
    (await created(client, 'logical_numbers', 'logical_number', { number, ...more })).id as number,
  device: async (client: Client, serialNumber: string, more: Fields = {}): Promise<number> =>
    (await created(client, 'devices', 'device', { serial_number: serialNumber, ...more })).id as number,
  /** Creates versions of a new app, linked to the given groups; resolves to their ids, ascending. */
  appVersions: async (client: Client, count: number, groupIds: readonly number[]): Promise<number[]> => {
    const software = softwareOf(client);
    const path = await software.app();
    const ids: number[] = [];
    for (let n = 0; n < count; n += 1) {
      ids.push((await software.version(path, { group_ids: groupIds })).id as number);
    }
    return ids;
  },
};

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
  server: TestServer,
  { caller }: Member,
  entityType: string,
  entityId: number,
): Promise<Entry[]> {
  const rows = await server.app.database.reads
    .selectFrom('ledger')
    .select(['action', 'before', 'after'])
    .where('company_id', '=', caller.companyId)
    .where('entity_type', '=', entityType)
    .where('entity_id', '=', entityId)
    .orderBy('position')
    .execute();
  const state = (text: string | null): Fields | null => (text === null ? null : (JSON.parse(text) as Fields));
  return rows.map((row) => ({ action: row.action, before: state(row.before), after: state(row.after) }));
}

/** When terminals were seen, and refused, is stored in the background. */
const IN_BACKGROUND = ['set last_seen_at', 'insert into terminal_refusals'];

/** Number of SQL statements of a request on its second run, when all caches are filled. */
export async function statementsOf(server: TestServer, request: () => Promise<unknown>): Promise<number> {
  await request();
  const { statements } = await server.statements(request);
  return statements.filter((sql) => !IN_BACKGROUND.some((part) => sql.includes(part))).length;
}
