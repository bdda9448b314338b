import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
let group = 0;
let number = 0;
beforeAll(async () => {
  group = await fleet.group(server.acme.client, 'owner');
  number = await fleet.logicalNumber(server.acme.client, '1', { group_id: group });
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
  const create = async (input: Fields): Promise<Fields> =>
    await changed<Fields>(server.acme, CREATE, { input });
  const created = async (key: string, owner: object = ownerOf.group()): Promise<Fields> =>
    (await create({ owner, key, value: 'v' }))[name] as Fields;

  it.each(['group', 'logical number'] as const)('shows the %s that owns it', async (kind) => {
    const record = await created(`of a ${kind}`, ownerOf[kind]());
    expect(record).toEqual({
      id: nodeId(typeName, Number(record.databaseId)),
      databaseId: record.databaseId,
      key: `of a ${kind}`,
      value: 'v',
      createdVia: 'API',
      createdBy: { databaseId: server.acme.caller.userId },
      group: kind === 'group' ? { name: 'owner' } : null,
      logicalNumber: kind === 'group' ? null : { number: '1' },
    });
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
    const keys = (variables: Fields) => listed(beta, typeName, 'key', variables);
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
});
