import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, changed, nodeId, refused, statementsFor, type Page } from '../../../support/dashboard.js';
import { fleet, ledgerOf } from '../../../support/fleet.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
let group = 0;
let number = 0;
beforeAll(async () => {
  server = await startServer();
  group = await fleet.group(server.acme.client, 'owner');
  number = await fleet.logicalNumber(server.acme.client, '1', { group_id: group });
});
afterAll(async () => {
  await server.stop();
});

const ownerOf = {
  group: () => ({ groupId: nodeId('Group', group) }),
  'logical number': () => ({ logicalNumberId: nodeId('LogicalNumber', number) }),
};

describe.each([
  ['parameter', 'Parameter'],
  ['metacontent', 'Metacontent'],
])('a %s in GraphQL', (name, typeName) => {
  const FIELDS = `id databaseId key value createdVia createdBy { databaseId }
    group { name } logicalNumber { number }`;
  const PAYLOAD = `{ ${name} { ${FIELDS} } userErrors { message path code } }`;
  const CREATE = `mutation ($input: ${typeName}CreateInput!) { ${name}Create(input: $input) ${PAYLOAD} }`;
  const UPDATE = `mutation ($id: ID!, $input: ${typeName}UpdateInput!) {
    ${name}Update(id: $id, input: $input) ${PAYLOAD} }`;
  const DELETE = `mutation ($id: ID!) { ${name}Delete(id: $id) { deletedId userErrors { path code } } }`;
  const create = async (input: Fields): Promise<Fields> =>
    await changed<Fields>(server.acme, CREATE, { input });
  const created = async (key: string, owner: object = ownerOf.group()): Promise<Fields> =>
    (await create({ owner, key, value: 'v' }))[name] as Fields;

  it.each(['group', 'logical number'] as const)('shows the %s that owns it', async (kind) => {
    const record = await created(`of a ${kind}`, ownerOf[kind]());
    expect(record).toEqual({
      ...{ id: nodeId(typeName, Number(record.databaseId)), databaseId: record.databaseId },
      ...{ key: `of a ${kind}`, value: 'v', createdVia: 'API' },
      createdBy: { databaseId: server.acme.caller.userId },
      group: kind === 'group' ? { name: 'owner' } : null,
      logicalNumber: kind === 'group' ? null : { number: '1' },
    });
    const byKeys = await answered(
      server.acme,
      `query ($id: ID!, $databaseId: Int!) { a: ${name}(id: $id) { ${FIELDS} }
        b: ${name}(databaseId: $databaseId) { ${FIELDS} } }`,
      { id: record.id, databaseId: record.databaseId },
    );
    expect(byKeys).toEqual({ a: record, b: record });
    const rest = await server.acme.client.get(
      `${name}s/${String(record.databaseId)}`,
      kind === 'group' ? { name: 'owner' } : { number: '1' },
    );
    expect(rest.status).toBe(200);
  });

  it.each<[string, () => Fields, string]>([
    ['no owner', () => ({}), 'INVALID'],
    ['two owners', () => ({ ...ownerOf.group(), ...ownerOf['logical number']() }), 'INVALID'],
    ['an owner that is null', () => ({ groupId: null }), 'INVALID'],
    ['a group that the company does not have', () => ({ groupId: nodeId('Group', 9e6) }), 'NOT_FOUND'],
    [
      'a number that the company does not have',
      () => ({ logicalNumberId: nodeId('LogicalNumber', 9e6) }),
      'NOT_FOUND',
    ],
    ['the id of something else', () => ({ groupId: nodeId('LogicalNumber', 1) }), 'NOT_FOUND'],
    ['what is no id', () => ({ groupId: '1' }), 'NOT_FOUND'],
  ])('is refused with %s', async (_case, owner, code) => {
    const payload = await create({ owner: owner(), key: 'k', value: 'v' });
    expect(payload).toMatchObject({ [name]: null, userErrors: [{ path: ['input', 'owner'], code }] });
  });

  it('has a key that is unique for its owner', async () => {
    const first = await created('twice');
    await created('twice', ownerOf['logical number']());
    const again = await create({ owner: ownerOf.group(), key: 'twice', value: 'v' });
    expect(again).toMatchObject({ [name]: null, userErrors: [{ path: ['input', 'key'], code: 'TAKEN' }] });
    const other = await created('another');
    const renamed = await changed(server.acme, UPDATE, { id: other.id, input: { key: 'twice' } });
    expect(renamed).toMatchObject({ [name]: null, userErrors: [{ path: ['input', 'key'], code: 'TAKEN' }] });
    const same = await changed(server.acme, UPDATE, { id: first.id, input: { key: 'twice' } });
    expect(same).toMatchObject({ userErrors: [] });
  });

  it('keeps absent fields, is changed and deleted, each with an entry in the ledger', async () => {
    const { id, databaseId } = await created('changes');
    const update = async (input: Fields) => await changed(server.acme, UPDATE, { id, input });
    expect(await update({})).toMatchObject({ [name]: { key: 'changes', value: 'v' }, userErrors: [] });
    expect(await update({ value: 'w' })).toMatchObject({ [name]: { key: 'changes', value: 'w' } });
    expect(await update({ key: 'changed' })).toMatchObject({ [name]: { key: 'changed', value: 'w' } });
    expect(await update({ key: '' })).toMatchObject({
      [name]: null,
      userErrors: [{ message: 'must not be empty', path: ['input', 'key'], code: 'INVALID' }],
    });
    expect(await changed(server.acme, DELETE, { id })).toEqual({ deletedId: id, userErrors: [] });
    expect(await changed(server.acme, DELETE, { id })).toEqual({
      deletedId: null,
      userErrors: [{ path: ['id'], code: 'NOT_FOUND' }],
    });
    const entries = await ledgerOf(server, server.acme, name, Number(databaseId));
    expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'update', 'delete']);
  });

  it('can be read but not changed by viewers', async () => {
    const viewer = await server.member('acme', 'viewer');
    const { id } = await created('read only');
    expect(await answered(viewer, `query ($id: ID!) { ${name}(id: $id) { key } }`, { id })).toEqual({
      [name]: { key: 'read only' },
    });
    const input = { owner: ownerOf.group(), key: 'v', value: 'v' };
    expect((await refused(viewer, CREATE, { input })).code).toBe('FORBIDDEN');
    expect((await refused(viewer, UPDATE, { id, input: {} })).code).toBe('FORBIDDEN');
    expect((await refused(viewer, DELETE, { id })).code).toBe('FORBIDDEN');
  });

  it('is listed for the company, for its group and for its logical number', async () => {
    const { beta } = server;
    const ofGroup = await fleet.group(beta.client, `listed ${name}`);
    const ofNumber = await fleet.logicalNumber(beta.client, `listed ${name}`, { group_id: ofGroup });
    for (const [key, owner] of [
      ['c', { groupId: nodeId('Group', ofGroup) }],
      ['a', { logicalNumberId: nodeId('LogicalNumber', ofNumber) }],
      ['b', { groupId: nodeId('Group', ofGroup) }],
    ] as const) {
      await changed(beta, CREATE, { input: { owner, key, value: 'v' } });
    }
    const LIST = `query ($filter: ${typeName}Filter, $orderBy: ${typeName}Order) {
      ${name}s(filter: $filter, orderBy: $orderBy) { totalCount nodes { key } } }`;
    const keys = async (variables: Fields): Promise<string[]> => {
      const { [`${name}s`]: page } = await answered<Record<string, Page<{ key: string }>>>(
        beta,
        LIST,
        variables,
      );
      return page?.nodes.map(({ key }) => key) ?? [];
    };
    expect(await keys({ orderBy: { field: 'KEY' } })).toEqual(['a', 'b', 'c']);
    expect(await keys({ orderBy: { field: 'CREATED_AT', direction: 'DESC' } })).toEqual(['b', 'a', 'c']);
    expect(await keys({ filter: { key: { in: ['a', 'c'] } } })).toEqual(['c', 'a']);
    expect(await keys({ filter: { groupId: { eq: nodeId('Group', ofGroup) } } })).toEqual(['c', 'b']);
    expect(await keys({ filter: { groupId: { isNull: true } } })).toEqual(['a']);
    const owners = await answered(
      beta,
      `query ($group: ID!, $number: ID!) { group(id: $group) { ${name}s(last: 1) { totalCount nodes { key } } }
        logicalNumber(id: $number) { ${name}s { totalCount nodes { key } } } }`,
      { group: nodeId('Group', ofGroup), number: nodeId('LogicalNumber', ofNumber) },
    );
    expect(owners).toEqual({
      group: { [`${name}s`]: { totalCount: 2, nodes: [{ key: 'b' }] } },
      logicalNumber: { [`${name}s`]: { totalCount: 1, nodes: [{ key: 'a' }] } },
    });
  });

  it('takes one statement for each level and one for its counts, for any number of owners', async () => {
    const member = await server.member('acme', 'operator');
    const page = `${name}s(first: 3) { totalCount nodes { key group { name } logicalNumber { number } } }`;
    const query = `{ groups(first: 20) { nodes { ${page} logicalNumbers(first: 3) { nodes { ${page} } } } } }`;
    const few = await statementsFor(server, member, query);
    for (let n = 0; n < 10; n += 1) {
      const ofGroup = await fleet.group(member.client, `${name} ${n}`);
      await fleet.logicalNumber(member.client, `${name} ${n}`, { group_id: ofGroup });
      await member.client.post(`${name}s`, { name: `${name} ${n}`, key: 'k', value: 'v' });
      await member.client.post(`${name}s`, { number: `${name} ${n}`, key: 'k', value: 'v' });
    }
    expect(await statementsFor(server, member, query)).toHaveLength(few.length);
  });
});
