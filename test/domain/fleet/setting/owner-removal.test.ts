import { describe, expect, it } from 'vitest';

import { MAX_DELETED_TOGETHER } from '../../../../src/platform/errors.js';
import { nodeId } from '../../../support/dashboard.js';
import { audited, insertMany, insertRows } from '../../../support/databases/rows.js';
import { fleet, unique, fillOwner, MANY, rowsIn } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

/** How many parameters and metacontents GraphQL shows of the company, in lists and by id. */
async function shown(id: number): Promise<unknown> {
  const { body } = await server.acme.graphql(
    `query ($parameter: ID!, $metacontent: ID!) {
      parameters(first: 1) { totalCount nodes { key } } metacontents(first: 1) { totalCount nodes { key } }
      parameter(id: $parameter) { key } metacontent(id: $metacontent) { key }
      node(id: $parameter) { id } }`,
    { parameter: nodeId('Parameter', id), metacontent: nodeId('Metacontent', id) },
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
  it('is deleted with all of them if it is a group, and its name is free', async () => {
    const { client } = server.acme;
    const before = (await client.get('groups')).body.pagination;
    const name = unique();
    const group = await fleet.group(client, name);
    await fillOwner(server, server.acme, { group_id: group });
    expect(await shown(1)).toMatchObject({ parameters: { totalCount: MANY }, parameter: { key: 'key 1' } });
    const { result, statements } = await server.statements(() => client.delete(`groups/${name}`));
    expect([result.status, result.body]).toEqual([200, {}]);
    // Each kind in parts of 250, and its entries of the ledger in parts of 200.
    expect(statements.length).toBeLessThan(30);
    expect(await shown(1)).toEqual(NOTHING);
    expect((await client.get('groups')).body.pagination).toEqual(before);
    expect((await client.get(`groups/${name}`)).status).toBe(404);
    expect((await client.get(`parameters?name=${encodeURIComponent(name)}`)).status).toBe(404);
    expect((await client.post('groups', { name })).status).toBe(201);
    expect((await client.get(`parameters?name=${encodeURIComponent(name)}`)).body.parameters).toEqual([]);
    expect((await client.post('logical_numbers', { number: unique(), group_id: group })).status).toBe(422);

    const left = [await rowsIn(server, 'parameters'), await rowsIn(server, 'metacontents')];
    expect([...left, await rowsIn(server, 'groups', `id = ${group}`)]).toEqual([0, 0, 0]);
    expect(await server.place.check()).toEqual([]);
    await expectRecorded(`cast(before ->> 'groupId' as integer) = ${group}`);
  });

  it('is deleted with all of them if it is a logical number', async () => {
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
    expect(await rowsIn(server, 'logical_numbers', `id = ${id}`)).toBe(0);
    expect(await server.place.check()).toEqual([]);
    await expectRecorded(`cast(before ->> 'logicalNumberId' as integer) = ${id}`);
  });

  it('is refused with their number and what to do instead if they are too many', async () => {
    const { client } = server.acme;
    const name = unique();
    const group = await fleet.group(client, name);
    await fillOwner(server, server.acme, { group_id: group }, MAX_DELETED_TOGETHER / 2);
    const added = await client.post('parameters', { name, key: 'one more', value: 'v' });
    const rows = (): Promise<number[]> =>
      Promise.all(['parameters', 'metacontents', 'ledger'].map((table) => rowsIn(server, table)));
    const before = await rows();
    const { result: refused, statements } = await server.statements(() => client.delete(`groups/${name}`));
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_records']);
    expect(refused.body.message).toBe(
      `The group ${name} has 5001 parameters and metacontents, and one request changes at most 5000 of them: first delete some of them (parameterDelete, metacontentDelete, or DELETE in /v1). Nothing was changed.`,
    );
    expect(statements.filter((statement) => /^(insert|update|delete) /.test(statement))).toEqual([]);
    const id = nodeId('Group', group);
    const mutation = 'mutation ($id: ID!) { groupDelete(id: $id) { deletedId userErrors { code message } } }';
    const { body } = await server.acme.graphql(mutation, { id });
    const userErrors = [{ code: 'TOO_MANY_RECORDS', message: refused.body.message }];
    expect(body.data).toEqual({ groupDelete: { deletedId: null, userErrors } });
    expect(await rows()).toEqual(before);
    const { id: parameter } = added.record('group_parameter');
    expect((await client.delete(`parameters/${Number(parameter)}`, { name })).status).toBe(200);
    expect((await client.delete(`groups/${name}`)).status).toBe(200);
    expect([await rowsIn(server, 'parameters'), await server.place.check()]).toEqual([0, []]);
  });

  it('is refused if their values are too large', async () => {
    const { client } = server.acme;
    const name = unique();
    const group = await fleet.group(client, name);
    const { companyId, userId } = server.acme.caller;
    const value = `"${'x'.repeat(250 * 1024)}"`;
    await insertMany(server.place, ['metacontents', companyId, 33], (n) => ({
      group_id: group,
      logical_number_id: null,
      key: `key ${n}`,
      value,
      ...audited(userId),
    }));
    const refused = await client.delete(`groups/${name}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_records']);
    expect(refused.body.message).toMatch(
      `has ${33 * value.length} bytes of parameters and metacontents, and one request changes at most 8388608 of them: first delete some`,
    );
    expect(await rowsIn(server, 'metacontents', `group_id = ${group}`)).toBe(33);
  });
});

describe('CC-20 a logical number of many deliveries', () => {
  it('is deleted with them, and refused where they are too many', async () => {
    const { client } = server.acme;
    const number = unique();
    const id = await fleet.logicalNumber(client, number);
    const { companyId, userId } = server.acme.caller;
    const epoch = new Date(0);
    const notification = {
      content: 'x',
      range: 'group',
      kind: 'show',
      expires_at: epoch,
      ...audited(userId),
    };
    const count = MAX_DELETED_TOGETHER + 1;
    const sent = await insertMany(server.place, ['notifications', companyId, count], () => notification);
    const deliveries = sent.map((sequence) => ({
      company_id: companyId,
      id: sequence + 1_000_000,
      notification_id: sequence,
      logical_number_id: id,
      state: 'queued',
      queued_at: epoch,
      sequence,
    }));
    await insertRows(server.place, 'notification_deliveries', deliveries);
    const refused = await client.delete(`logical_numbers/${number}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_records']);
    expect(refused.body.message).toMatch(
      /5001 deliveries of notifications.*at most 5000.*db prune --deliveries/,
    );
    expect(await rowsIn(server, 'notification_deliveries', `logical_number_id = ${id}`)).toBe(5_001);
    await server.place.sql(`delete from notification_deliveries where notification_id = ${sent[0] ?? 0}`);
    expect((await client.delete(`logical_numbers/${number}`)).status).toBe(200);
    expect((await client.get(`logical_numbers/${number}`)).status).toBe(404);
    expect(await rowsIn(server, 'notification_deliveries', `logical_number_id = ${id}`)).toBe(0);
  });
});

describe('CC-20 a logical number of too many devices', () => {
  it('is refused with their number and what to do instead', async () => {
    const { client } = server.acme;
    const number = unique();
    const id = await fleet.logicalNumber(client, number);
    const { companyId, userId } = server.acme.caller;
    await insertMany(server.place, ['devices', companyId, 251], (n) => ({
      serial_number: `many ${n}`,
      enabled: true,
      logical_number_id: id,
      meta: '{}',
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
