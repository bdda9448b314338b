import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { audited, insertMany, insertRows } from '../../support/databases/rows.js';
import { fleet } from '../../support/fleet.js';
import { startServer, type TestServer } from '../../support/server.js';
import { unique } from '../../support/software.js';
import { fillOwner, MANY, rowsIn, takeSteps, wideFleet } from '../../support/wide.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  // Steps are taken by the tests.
  await server.app.steps.stop();
});
afterAll(async () => {
  await server.stop();
});

/** How many parameters and metacontents GraphQL shows of the company, in lists and by id. */
async function shown(id: number): Promise<unknown> {
  const gid = (type: string): string => Buffer.from(`${type}:${id}`).toString('base64url');
  const { body } = await server.acme.graphql(
    `query ($parameter: ID!, $metacontent: ID!) {
      parameters(first: 1) { totalCount nodes { key } } metacontents(first: 1) { totalCount nodes { key } }
      parameter(id: $parameter) { key } metacontent(id: $metacontent) { key }
      node(id: $parameter) { id } }`,
    { parameter: gid('Parameter'), metacontent: gid('Metacontent') },
  );
  return body.data;
}

const none = { totalCount: 0, nodes: [] };
const NOTHING = { parameters: none, metacontents: none, parameter: null, metacontent: null, node: null };

/** Every parameter and metacontent has its own entry, with what it was. */
async function expectRecorded(where: string): Promise<void> {
  for (const type of ['parameter', 'metacontent']) {
    expect(
      await rowsIn(server, 'ledger', `entity_type = '${type}' and action = 'delete' and ${where}`),
      type,
    ).toBe(MANY);
  }
}

describe('CC-20 an owner of many parameters and metacontents', () => {
  it('is deleted at once with all of them if it is a group, and its name is free', async () => {
    const { client } = server.acme;
    const before = (await client.get('groups')).body.pagination;
    const name = unique();
    const group = await fleet.group(client, name);
    await fillOwner(server, server.acme, { group_id: group });
    expect(await shown(1)).toMatchObject({ parameters: { totalCount: MANY }, parameter: { key: 'key 1' } });
    const { result, statements } = await server.statements(() => client.delete(`groups/${name}`));
    expect([result.status, result.body]).toEqual([200, {}]);
    expect(statements.length).toBeLessThan(20);
    expect(await rowsIn(server, 'parameters')).toBe(MANY);
    expect(await shown(1)).toEqual(NOTHING);
    expect((await client.get('groups')).body.pagination).toEqual(before);
    expect((await client.get(`groups/${name}`)).status).toBe(404);
    expect((await client.get(`parameters?name=${encodeURIComponent(name)}`)).status).toBe(404);
    expect((await client.post('groups', { name })).status).toBe(201);
    expect((await client.get(`parameters?name=${encodeURIComponent(name)}`)).body.parameters).toEqual([]);
    expect((await client.post('logical_numbers', { number: unique(), group_id: group })).status).toBe(422);

    await takeSteps(server);
    const left = [await rowsIn(server, 'parameters'), await rowsIn(server, 'metacontents')];
    expect([...left, await rowsIn(server, 'groups', `id = ${group}`)]).toEqual([0, 0, 0]);
    expect([await rowsIn(server, 'removals'), await server.place.check()]).toEqual([0, []]);
    await expectRecorded(`cast(before ->> 'groupId' as integer) = ${group}`);
  });

  it('is deleted at once with all of them if it is a logical number', async () => {
    const { client } = server.acme;
    const before = (await client.get('logical_numbers')).body.pagination;
    const [number, serial] = [unique(), unique()];
    const id = await fleet.logicalNumber(client, number, { group_id: await fleet.group(client, unique()) });
    await fleet.device(client, serial, { logical_number_id: id });
    await fillOwner(server, server.acme, { logical_number_id: id });
    expect((await client.delete(`logical_numbers/${number}`)).status).toBe(200);
    expect((await client.get(`logical_numbers/${number}`)).status).toBe(404);
    expect((await client.get('logical_numbers')).body.pagination).toEqual(before);
    expect(await shown(1)).toEqual(NOTHING);
    const devices = (await client.get('devices')).body.devices as {
      device: { logical_number_id: unknown };
    }[];
    expect(devices.map(({ device }) => device.logical_number_id)).toEqual([null]);
    expect((await client.post('logical_numbers', { number })).status).toBe(201);
    expect((await client.put(`devices/${serial}`, { logical_number_id: id })).status).toBe(422);
    await takeSteps(server);
    expect(await rowsIn(server, 'logical_numbers', `id = ${id}`)).toBe(0);
    expect([await rowsIn(server, 'removals'), await server.place.check()]).toEqual([0, []]);
    await expectRecorded(`cast(before ->> 'logicalNumberId' as integer) = ${id}`);
  });

  it('takes large values in smaller steps', async () => {
    const name = unique();
    const group = await fleet.group(server.acme.client, name);
    const value = 'x'.repeat(60_000);
    for (let n = 0; n < 10; n += 1) {
      const sent = { name, key: `k${n}`, value: { value } };
      expect((await server.acme.client.post('metacontents', sent)).status).toBe(201);
    }
    await server.acme.client.delete(`groups/${name}`);
    expect(await rowsIn(server, 'removals')).toBe(1);
    expect((await takeSteps(server)).length).toBeGreaterThan(2);
    expect(await rowsIn(server, 'groups', `id = ${group}`)).toBe(0);
  });
});

describe('CC-20 a logical number of too many devices', () => {
  it('is refused with their number and what to do instead', async () => {
    const { client } = server.acme;
    const number = unique();
    const id = await fleet.logicalNumber(client, number);
    const { companyId, userId } = server.acme.caller;
    await insertMany(server.place, ['devices', companyId, 251], (n) => ({
      ...{ serial_number: `many ${n}`, enabled: true, logical_number_id: id, meta: '{}' },
      ...audited(userId),
    }));
    const refused = await client.delete(`logical_numbers/${number}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_records']);
    expect(refused.body.message).toMatch(/251 devices.*at most 250.*deviceAssign.*Nothing was changed/);
    expect((await client.get(`logical_numbers/${number}`)).status).toBe(200);
    await client.put('devices/many%201', { logical_number_id: null });
    expect((await client.delete(`logical_numbers/${number}`)).status).toBe(200);
    expect(await rowsIn(server, 'devices', `logical_number_id = ${id}`)).toBe(0);
  });
});

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
    const counts = await takeSteps(server);
    // The first step begins with the first company, without looking for the next one.
    expect([counts.length, counts[1]]).toEqual([LARGE / 500, counts[2]]);
    expect(await delivered()).toBe(LARGE - 1);
    expect(await delivered(`logical_number_id = ${wide.numbers[0] ?? 0}`)).toBe(1);
    expect(await delivered(`logical_number_id = ${later}`)).toBe(0);
    expect(await rowsIn(server, 'notification_targets')).toBe(0);
    expect(await server.place.check()).toEqual([]);
  });

  it('does not keep a number with many deliveries from being deleted at once', async () => {
    const { client } = server.acme;
    const number = unique();
    const id = await fleet.logicalNumber(client, number);
    const { companyId, userId } = server.acme.caller;
    const sent = await insertMany(server.place, ['notifications', companyId, 2_500], () => ({
      ...{ content: 'x', range: 'group', kind: 'show', expires_at: new Date(0) },
      ...audited(userId),
    }));
    await insertRows(
      server.place,
      'notification_deliveries',
      sent.map((notification) => ({
        ...{ company_id: companyId, id: notification + 1_000_000, notification_id: notification },
        ...{ logical_number_id: id, state: 'queued', queued_at: new Date(0) },
      })),
    );
    expect((await client.delete(`logical_numbers/${number}`)).status).toBe(200);
    expect((await client.get(`logical_numbers/${number}`)).status).toBe(404);
    expect(await rowsIn(server, 'notification_deliveries', `logical_number_id = ${id}`)).toBe(2_500);
    await takeSteps(server);
    expect(await rowsIn(server, 'notification_deliveries', `logical_number_id = ${id}`)).toBe(0);
    expect(await rowsIn(server, 'logical_numbers', `id = ${id}`)).toBe(0);
  });
});
