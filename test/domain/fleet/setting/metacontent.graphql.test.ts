import { beforeAll, describe, expect, it } from 'vitest';

import { answered, changed, nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServer, type Fields } from '../../../support/server.js';

const server = useServer();
let owner: Fields = {};
beforeAll(async () => {
  owner = { groupId: nodeId('Group', await fleet.group(server.acme.client, 'g')) };
});

const CREATE = `mutation ($input: MetacontentCreateInput!) {
  metacontentCreate(input: $input) { metacontent { id value } userErrors { message path code } } }`;

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('the value of a metacontent', () => {
  it('can be a literal in the operation', async () => {
    const query = `mutation ($owner: OwnerInput!) { metacontentCreate(input: { owner: $owner, key: "written",
      value: { a: [1, 2.5, "x", true, null], b: {} } }) { metacontent { value } } }`;
    const { metacontent } = await changed(server.acme, query, { owner });
    expect(metacontent).toEqual({ value: { a: [1, 2.5, 'x', true, null], b: {} } });
  });

  it.each(['1546130668394913822000', '-1546130668394913822000', '1e30', '-1.5E+300', '[{ a: 1e22 }]'])(
    'RU-06 the literal %s is refused, since it would not come back as it was sent',
    async (literal) => {
      const query = `mutation ($owner: OwnerInput!) { metacontentCreate(input: { owner: $owner, key: "large",
        value: ${literal} }) { metacontent { value } userErrors { message path code } } }`;
      expect(await changed(server.acme, query, { owner })).toMatchObject({
        metacontent: null,
        userErrors: [{ path: ['input', 'value'], code: 'INVALID' }],
      });
    },
  );

  it.each([
    ['no value', {}],
    ['33 levels', { value: nested(33) }],
    ['too many bytes', { value: 'x'.repeat(256 * 1024) }],
    ['a number that a double does not hold', { value: 2 ** 60 }],
    ['a number of 22 digits', { value: { id: [Number('-1546130668394913822000')] } }],
    ['NUL', { value: 'a\0b' }],
  ])('is refused with %s', async (key, value) => {
    const payload = await changed(server.acme, CREATE, { input: { owner, key, ...value } });
    expect(payload).toMatchObject({
      metacontent: null,
      userErrors: [{ path: ['input', 'value'], code: 'INVALID' }],
    });
  });

  it('is refused with twenty thousand levels, which overflow a serializer', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const input = JSON.stringify({ owner, key: 'deep', value: 'DEEP' }).replace('"DEEP"', deep);
    const { status, text } = await server.anonymous.post(
      '/graphql',
      `{ "query": ${JSON.stringify(CREATE)}, "variables": { "input": ${input} } }`,
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
