import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { reading } from '../../src/database/sqlite/file/open-file.js';
import { buildDatabase, WIDE } from '../bench/data.js';
import type { Client } from '../support/client.js';
import { placeAt, urlOf } from '../support/databases/sqlite-place.js';
import { startProgram } from '../support/program.js';
import { useScratchFolder } from './machine.js';
import { problemsIn } from './soundness.js';

let file: string;
useScratchFolder((scratch) => ({ file } = scratch));

/** Logical numbers, parameters and metacontents; one request deletes at most 5,000 rows. */
const COUNT = 2_400;
const NOTIFICATIONS = 3;

function value(query: string): number {
  return reading(file, (database) => Number(database.prepare(query).pluck().get()));
}

const isLeft = (): boolean => value('select count(*) from notification_targets') > 0;

/** Checks that clients see the whole effect of the changes below once acknowledged, even with deliveries left. */
async function expectWhole(client: Client): Promise<void> {
  const number = (await client.get(`logical_numbers/${99_999 + COUNT}`)).record('logical_number');
  expect(number.app_version_ids).toEqual([101, 151, 201]);
  expect((await client.get(`apps/21/versions/${WIDE.versions.deleted}`)).status).toBe(404);
  expect((await client.get('apps/21/versions')).body.pagination).toMatchObject({ total_entries: 9 });
  expect((await client.get(`groups/${WIDE.groupWithSettings}`)).status).toBe(404);
  expect((await client.get('groups')).body.pagination).toMatchObject({ total_entries: 50 });
  expect((await client.get('notifications')).body.pagination).toMatchObject({
    total_entries: NOTIFICATIONS,
  });
}

/** Entries of the ledger for `count` records, one each. */
function expectEntries(what: string, count: number): void {
  expect(value(`select count(*) from ledger where ${what}`), what).toBe(count);
  expect(value(`select count(distinct entity_id) from ledger where ${what}`), what).toBe(count);
}

describe('CC-20 kill -9 after changes of many records', () => {
  it('leaves them whole, and the next starts queue the deliveries that are left', async () => {
    const sizes = { devices: COUNT, transactions: 0, wide: COUNT, others: 1 };
    const { token, others } = await buildDatabase(file, sizes);
    let program = await startProgram(urlOf(file));
    const client = program.client(token);
    const replies = await Promise.all([
      client.put(`apps/1/versions/${WIDE.versions.changed}`, { group_ids: [] }),
      client.delete(`apps/21/versions/${WIDE.versions.deleted}`),
      client.delete(`groups/${WIDE.groupWithSettings}`),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const notification = { range: 'group', group_id: WIDE.group, content: 'Hello' };
    const sent = Array.from({ length: NOTIFICATIONS }, () => client.post('notifications', notification));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(201);
    let kills = 0;
    for (; isLeft() && kills < 4; kills += 1) {
      await program.end('SIGKILL');
      program = await startProgram(urlOf(file));
      await expectWhole(program.client(token));
      await sleep(100);
      const other = await program.client(others[0] ?? '').post('groups', { name: `after kill ${kills}` });
      expect(other.status).toBe(201);
    }
    expect(kills).toBeGreaterThan(0);
    while (isLeft()) await sleep(50);
    await expectWhole(program.client(token));
    await program.end('SIGTERM');

    const { changed, deleted } = WIDE.versions;
    const of = (table: string, where: string): number =>
      value(`select count(*) from ${table} where ${where}`);
    expect(of('logical_number_app_versions', `app_version_id in (${changed}, ${deleted})`)).toBe(0);
    expect([of('app_versions', `id = ${deleted}`), of('groups', 'company_id = 1 and id = 51')]).toEqual([
      0, 0,
    ]);
    expect([of('parameters', 'group_id = 51'), of('metacontents', 'group_id = 51')]).toEqual([0, 0]);
    expect(of('notification_deliveries', 'true')).toBe(NOTIFICATIONS * COUNT);
    expectEntries("entity_type = 'parameter' and action = 'delete'", COUNT);
    expectEntries("entity_type = 'metacontent' and action = 'delete'", COUNT);
    const lost = (version: number): string => `entity_type = 'logical_number' and action = 'update'
      and exists (select 1 from json_each(before, '$.appVersionIds') where value = ${version})
      and not exists (select 1 from json_each(after, '$.appVersionIds') where value = ${version})`;
    for (const version of [changed, deleted]) expectEntries(lost(version), COUNT);
    // The records themselves were made by plain SQL.
    expect(
      (await problemsIn(placeAt(file))).filter((problem) => !problem.includes('not in the ledger')),
    ).toEqual([]);
  });
});
