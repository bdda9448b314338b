import { expect } from 'vitest';

import type { WriteWork } from '../../src/database/work.js';
import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import { createLogicalNumber } from '../../src/domain/fleet/logical-number/logical-number.service.js';
import { metacontents } from '../../src/domain/fleet/setting/setting.service.js';
import type { Client } from '../support/client.js';
import type { TestPlace } from '../support/databases/place.js';
import { prepareDatabase } from '../support/prepared-database.js';

/** Logical numbers of the large group. */
export const NUMBERS = 1_000;

/** Creates a group with 1,000 logical numbers. */
export async function prepareLargeGroup(place: TestPlace): Promise<{ token: string; groupId: number }> {
  let groupId = 0;
  const { token } = await prepareDatabase(place, async (work) => {
    groupId = (await createGroup(work, { name: 'large' })).id;
    for (let n = 0; n < NUMBERS; n += 1) await createLogicalNumber(work, { number: `large-${n}`, groupId });
  });
  return { token, groupId };
}

/** The value of each metacontent of `addLargeValues`: 255 KiB. */
export const LARGE_VALUE = 'x'.repeat(255 * 1024);

/** Creates the group `large` with this many of the largest metacontents. */
export async function addLargeValues(work: WriteWork, count: number): Promise<void> {
  const owner = { groupId: (await createGroup(work, { name: 'large' })).id, logicalNumberId: null };
  for (let n = 0; n < count; n += 1) {
    await metacontents.create(work, owner, { key: `${n}`, value: LARGE_VALUE });
  }
}

/** A write before the tested one, so that no other pending write of the program is mistaken for it. */
export async function warmUp(client: Client, n: number): Promise<void> {
  expect((await client.post('groups', { name: `warm ${n}` })).status).toBe(201);
}

export const notifyGroup = (client: Client, groupId: number, content: string) =>
  client.post('notifications', { content, range: 'group', group_id: groupId });

export async function contents(client: Client): Promise<unknown[]> {
  return (await client.get('notifications')).list('notifications').map((fields) => fields.content);
}
