import { describe, expect, it } from 'vitest';

import { MAX_DELETED_TOGETHER } from '../../../../src/platform/errors.js';
import { answered, nodeId } from '../../../support/dashboard.js';
import { audited, insertMany, insertRows } from '../../../support/databases/rows.js';
import { errorsOf, fillOwner, fleet, MANY, rowsIn, totalIn, unique } from '../../../support/fleet.js';
import { expectRefused } from '../../../support/mutations.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

/** How many parameters and metacontents GraphQL shows of the company, in lists and by id. */
const shown = (id: number) =>
  answered(
    server.acme,
    `query ($parameter: ID!, $metacontent: ID!) { parameters { totalCount } metacontents { totalCount }
      parameter(id: $parameter) { key } metacontent(id: $metacontent) { key } node(id: $parameter) { id } }`,
    { parameter: nodeId('Parameter', id), metacontent: nodeId('Metacontent', id) },
  );

const OWNERS = [
  { kind: 'group', path: 'groups', selector: 'name', column: 'group_id' },
  { kind: 'logical number', path: 'logical_numbers', selector: 'number', column: 'logical_number_id' },
] as const;

describe('CC-20 an owner of many parameters and metacontents', () => {
  it.each(OWNERS)(
    'contracts 18 and 19: is deleted with all of them and no others, and its name is free: a $kind',
    async ({ kind, path, selector, column }) => {
      const { client } = server.acme;
      const before = await totalIn(client, path);
      const [name, other] = [unique(), unique()];
      const id = await (kind === 'group' ? fleet.group(client, name) : fleet.logicalNumber(client, name));
      await fillOwner(server, server.acme, { [column]: id });
      const [first] = await server.place.sql<{ id: number }>(`select min(id) as id from parameters`);
      await client.post(path, { [selector]: other });
      for (const setting of ['parameters', 'metacontents'])
        expect((await client.post(setting, { [selector]: other, key: 'k', value: 'v' })).status).toBe(201);
      const all = { totalCount: MANY + 1 };
      expect(await shown(first?.id ?? 0)).toMatchObject({ parameters: all, parameter: { key: 'key 1' } });
      const { result, statements } = await server.statements(() => client.delete(`${path}/${name}`));
      expect([result.status, result.body]).toEqual([200, {}]);
      // Each kind in parts of 250, and its entries of the ledger in parts of 200.
      expect(statements.length).toBeLessThan(30);
      const rest = { totalCount: 1 };
      const gone = { parameter: null, metacontent: null, node: null };
      expect(await shown(first?.id ?? 0)).toEqual({ parameters: rest, metacontents: rest, ...gone });
      for (const type of ['parameter', 'metacontent']) {
        const ofOwner = `before ->> '${kind === 'group' ? 'groupId' : 'logicalNumberId'}'`;
        const deleted = `entity_type = '${type}' and action = 'delete' and cast(${ofOwner} as integer) = ${id}`;
        expect(await rowsIn(server, 'ledger', deleted), type).toBe(MANY);
      }
      expect(await rowsIn(server, path, `id = ${id}`)).toBe(0);
      expect(await server.place.check()).toEqual([]);
      expect((await client.get(`${path}/${name}`)).status).toBe(404);
      expect((await client.get('parameters', { [selector]: name })).status).toBe(404);
      const reference =
        kind === 'group' ? (['logical_numbers', 'number'] as const) : (['devices', 'serial_number'] as const);
      const refused = await client.post(reference[0], { [reference[1]]: unique(), [column]: id });
      expect(errorsOf(refused)).toEqual([422, [column]]);
      expect((await client.post(path, { [selector]: name })).status).toBe(201);
      expect(await totalIn(client, 'parameters', { [selector]: name })).toBe(0);
      for (const each of [name, other]) await client.delete(`${path}/${each}`);
      expect(await totalIn(client, path)).toBe(before);
    },
  );

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
    const { message } = refused.body;
    const id = nodeId('Group', group);
    await expectRefused(server.acme, 'groupDelete', { id }, 'TOO_MANY_RECORDS', String(message));
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
    const owned = { group_id: group, logical_number_id: null, value, ...audited(userId) };
    await insertMany(server.place, ['metacontents', companyId, 33], (n) => ({ key: `key ${n}`, ...owned }));
    const refused = await client.delete(`groups/${name}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_records']);
    expect(refused.body.message).toMatch(
      `has ${33 * value.length} bytes of parameters and metacontents, and one request changes at most 8388608 of them: first delete some`,
    );
    expect(await rowsIn(server, 'metacontents', `group_id = ${group}`)).toBe(33);
  });
});

describe('CC-20 a logical number', () => {
  it('is deleted with its deliveries, and refused where they are too many', async () => {
    const { client } = server.acme;
    const number = unique();
    const id = await fleet.logicalNumber(client, number);
    const { companyId, userId } = server.acme.caller;
    const epoch = new Date(0);
    const sent = await insertMany(
      server.place,
      ['notifications', companyId, MAX_DELETED_TOGETHER + 1],
      () => ({ content: 'x', range: 'group', kind: 'show', expires_at: epoch, ...audited(userId) }),
    );
    const deliveries = sent.map((sequence) => ({
      company_id: companyId,
      id: sequence + 1_000_000,
      notification_id: sequence,
      logical_number_id: id,
      lane: id,
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

  it('is refused with the number of its devices if they are too many, and what to do instead', async () => {
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
