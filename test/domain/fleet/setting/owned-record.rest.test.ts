import { beforeEach, describe, expect, it } from 'vitest';

import { fleet, ledgerOf } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
let round = 0;

const KINDS = [
  {
    kind: 'parameter',
    path: 'parameters',
    value: 'v',
    other: 'w',
  },
  {
    kind: 'metacontent',
    path: 'metacontents',
    value: { a: [1, null, 'x'] },
    other: 'text',
  },
];

describe.each(KINDS)('/v1/$path', ({ kind, path, value, other }) => {
  let number: string, name: string, numberId: number, groupId: number;
  beforeEach(async () => {
    round += 1;
    [number, name] = [`number ${round}`, `group ${round}`];
    numberId = await fleet.logicalNumber(server.acme.client, number);
    groupId = await fleet.group(server.acme.client, name);
  });
  const create = async (owner: Fields, key: string): Promise<Fields> => {
    const reply = await server.acme.client.post(path, { ...owner, key, value });
    expect(reply.status, reply.text).toBe(201);
    return Object.values(reply.body)[0] as Fields;
  };

  it('contract 16: are wrapped by the kind of their owner', async () => {
    const { client, caller } = server.acme;
    const owners = [
      {
        owner: { number },
        wrapper: `logical_number_${kind}`,
        ids: { logical_number_id: numberId, group_id: null },
      },
      { owner: { name }, wrapper: `group_${kind}`, ids: { logical_number_id: null, group_id: groupId } },
    ];
    for (const { owner, wrapper, ids } of owners) {
      const created = await client.post(path, { ...owner, key: 'k', value });
      expect([created.status, Object.keys(created.body)]).toEqual([201, [wrapper]]);
      const made = { created_by: caller.userId, created_via: 'api' };
      expect(created.record(wrapper)).toMatchObject({ key: 'k', value, ...ids, ...made });

      const id = String(created.record(wrapper).id);
      expect((await client.get(`${path}/${id}`, owner)).body).toEqual(created.body);
      const list = await client.get(path, owner);
      expect(Object.keys(list.body)).toEqual(['pagination', path]);
      expect(list.body[path]).toEqual([created.body]);

      const changed = await client.put(`${path}/${id}`, { ...owner, value: other });
      expect(changed.record(wrapper)).toMatchObject({ id: Number(id), key: 'k', value: other, ...ids });
      const deleted = await client.delete(`${path}/${id}`, owner);
      expect([deleted.status, deleted.body]).toEqual([200, {}]);
      expect((await client.get(`${path}/${id}`, owner)).status).toBe(404);
      const entries = await ledgerOf(server, server.acme, kind, Number(id));
      expect(entries.map((entry) => entry.action)).toEqual(['create', 'update', 'delete']);
    }
  });

  it('contract 2: take the owner from the query if the body has none', async () => {
    const { client } = server.acme;
    const { id } = await create({ number }, 'k');
    const byQuery = { query: { number } };
    expect((await client.get(`${path}/`, undefined, byQuery)).list(path)).toHaveLength(1);
    expect((await client.get(path, {}, byQuery)).list(path)).toHaveLength(1);
    expect((await client.get(`${path}/${String(id)}`, undefined, byQuery)).status).toBe(200);
    expect((await client.get(path, undefined, { query: { name } })).list(path)).toEqual([]);
    const put = await client.put(`${path}/${String(id)}`, { key: 'renamed' }, byQuery);
    expect(put.record(`logical_number_${kind}`).key).toBe('renamed');
    expect((await client.post(path, { key: 'q', value }, byQuery)).status).toBe(201);
    expect((await client.delete(`${path}/${String(id)}`, undefined, byQuery)).status).toBe(200);
  });

  it('contract 2: take the owner from a form body', async () => {
    const sent = await server.acme.client.post(path, `number=${encodeURIComponent(number)}&key=k&value=v`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([sent.status, sent.record(`logical_number_${kind}`).value]).toEqual([201, 'v']);
  });

  it('contract 2: a record of another owner is not found', async () => {
    const { client } = server.acme;
    const { id } = await create({ number }, 'k');
    await fleet.logicalNumber(client, `other ${round}`);
    await fleet.logicalNumber(server.beta.client, number);
    const one = `${path}/${String(id)}`;
    const strangers = [
      () => client.get(one, { name }),
      () => client.get(one, { number: `other ${round}` }),
      () => client.put(one, { name, key: 'mine' }),
      () => client.delete(one, { name }),
      () => server.beta.client.get(one, { number }),
      () => server.beta.client.delete(one, { number }),
    ];
    for (const ask of strangers) {
      const { status, body } = await ask();
      expect([status, body.message]).toEqual([404, `No such ${kind}.`]);
    }
    expect((await client.get(one, { number })).status).toBe(200);
    expect((await server.beta.client.get(path, { number })).list(path)).toEqual([]);
  });

  it('contract 16: a key is unique for its owner', async () => {
    const { client } = server.acme;
    await create({ number }, 'k');
    const { id } = await create({ number }, 'free');
    await create({ name }, 'k');
    const twice = await client.post(path, { number, key: 'k', value });
    expect([twice.status, twice.body.code]).toEqual([409, 'taken']);
    expect((await client.put(`${path}/${String(id)}`, { number, key: 'k' })).status).toBe(409);
    expect((await client.put(`${path}/${String(id)}`, { number, key: 'free' })).status).toBe(200);
  });

  it.each([
    ['no key', { key: undefined }, 'key'],
    ['no value', { value: undefined }, 'value'],
  ])('contract 16: are refused with %s', async (_case, wrong, field) => {
    const refused = await server.acme.client.post(path, { number, key: 'k', value, ...wrong });
    expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, [field]]);
    expect((await server.acme.client.get(path, { number })).list(path)).toEqual([]);
  });
});
