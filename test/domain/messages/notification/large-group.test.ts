import { beforeAll, describe, expect, it } from 'vitest';

import { takeDeliveryStep } from '../../../../src/domain/messages/notification/delivery.service.js';
import { fleet, unique, rowsIn, wideFleet } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();
beforeAll(async () => {
  // Steps are taken by the tests.
  await server.app.steps.stop();
});

/** Takes the steps that are left, one after the other; resolves to the number of SQL statements of each. */
async function takeSteps(): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let company: number | null = 0; company !== null;) {
    const after: number = company;
    const { result, statements } = await server.statements(() => takeDeliveryStep(server.app.units, after));
    company = result;
    if (result !== null) counts.push(statements.length);
  }
  return counts;
}

describe('CC-20 a notification to a large group', () => {
  const LARGE = 5_000;

  it('reaches each number that the group had when it was sent, once, in steps', async () => {
    const wide = await wideFleet(server, server.acme, LARGE);
    const { client } = server.acme;
    const sent = await client.post('notifications', {
      range: 'group',
      group_id: wide.group,
      content: 'Closed on Sunday',
    });
    expect([sent.status, Object.keys(sent.body)]).toEqual([201, ['message']]);
    const list = (await client.get('notifications')).body as {
      notifications: { notification: { id: number } }[];
    };
    const id = list.notifications.at(-1)?.notification.id ?? 0;
    const queued = `cast(after ->> 'queued' as integer) = ${LARGE} and entity_id = ${id}`;
    expect(await rowsIn(server, 'ledger', `entity_type = 'notification' and ${queued}`)).toBe(1);
    const delivered = (more = 'true'): Promise<number> =>
      rowsIn(server, 'notification_deliveries', `notification_id = ${id} and ${more}`);
    expect(await delivered()).toBe(0);

    // The first one moves out of the group, another comes into it, and the last one is deleted.
    await client.put(`logical_numbers/${wide.number}`, { group_id: null });
    const later = await fleet.logicalNumber(client, unique(), { group_id: wide.group });
    const last = wide.number.replace(/-1$/, `-${LARGE}`);
    expect((await client.delete(`logical_numbers/${last}`)).status).toBe(200);
    const counts = await takeSteps();
    // The first step begins with the first company, without looking for the next one.
    expect([counts.length, counts[1]]).toEqual([LARGE / 500, counts[2]]);
    expect(await delivered()).toBe(LARGE - 1);
    expect(await delivered(`logical_number_id = ${wide.numbers[0] ?? 0}`)).toBe(1);
    expect(await delivered(`logical_number_id = ${later}`)).toBe(0);
    expect(await rowsIn(server, 'notification_targets')).toBe(0);
    expect(await server.place.check()).toEqual([]);
  });
});
