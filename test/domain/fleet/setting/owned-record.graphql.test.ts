import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, listed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { expectRefused, mutated, mutationOf } from '../../../support/mutations.js';
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
  it.each<[string, () => Fields]>([
    ['no owner', () => ({})],
    ['two owners', () => ({ ...ownerOf.group(), ...ownerOf['logical number']() })],
    ['an owner that is null', () => ({ groupId: null })],
  ])('is refused with %s', async (_case, owner) => {
    const input = { owner: owner(), key: 'k', value: 'v' };
    await expectRefused(server.acme, `${name}Create`, { input }, 'INVALID input.owner');
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
      await mutated(beta, `${name}Create`, { input: { owner, key, value: 'v' } });
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

describe('the value of a metacontent', () => {
  it('can be a literal in the operation', async () => {
    const query = `mutation ($owner: OwnerInput!) { metacontentCreate(input: { owner: $owner, key: "written",
      value: { a: [1, 2.5, "x", true, null], b: {} } }) { metacontent { value } } }`;
    const { metacontent } = await changed(server.acme, query, { owner: ownerOf.group() });
    expect(metacontent).toEqual({ value: { a: [1, 2.5, 'x', true, null], b: {} } });
  });

  it.each(['1546130668394913822000', '-1546130668394913822000', '1e30', '-1.5E+300', '[{ a: 1e22 }]'])(
    'RU-06 the literal %s is refused, since it would not come back as it was sent',
    async (literal) => {
      const query = `mutation ($owner: OwnerInput!) { metacontentCreate(input: { owner: $owner, key: "large",
        value: ${literal} }) { metacontent { value } userErrors { message path code } } }`;
      expect(await changed(server.acme, query, { owner: ownerOf.group() })).toMatchObject({
        metacontent: null,
        userErrors: [{ path: ['input', 'value'], code: 'INVALID' }],
      });
    },
  );

  it('is refused with twenty thousand levels, which overflow a serializer', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const input = JSON.stringify({ owner: ownerOf.group(), key: 'deep', value: 'DEEP' }).replace(
      '"DEEP"',
      deep,
    );
    const { status, text } = await server.anonymous.post(
      '/graphql',
      `{ "query": ${JSON.stringify(mutationOf('metacontentCreate'))}, "variables": { "input": ${input} } }`,
      { headers: { authorization: `Bearer ${server.acme.token}`, 'content-type': 'application/json' } },
    );
    expect([status, text.length < 4096], text.slice(0, 200)).toEqual([expect.any(Number), true]);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('INTERNAL');
    const found = await answered(
      server.acme,
      '{ metacontents(filter: { key: { eq: "deep" } }) { totalCount } }',
    );
    expect(found).toEqual({ metacontents: { totalCount: 0 } });
  });
});
