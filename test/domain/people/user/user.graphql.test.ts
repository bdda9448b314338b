import { beforeAll, describe, expect, it } from 'vitest';

import { answered, nodeId, refused, type Page } from '../../../support/dashboard.js';
import { useServer, type Fields, type Member } from '../../../support/server.js';

const server = useServer();
let viewer: Member;
beforeAll(async () => {
  viewer = await server.member('acme', 'viewer');
  await server.acme.client.post('groups', { name: 'by an admin' });
  await (await server.member('acme', 'operator')).client.post('groups', { name: 'by an operator' });
});

const PERSONAL = ['email', 'signInCount', 'lastSignInAt', 'lastSignInIp', 'timeZone', 'updatedAt'];

describe('a user in GraphQL', () => {
  it.each(PERSONAL)(
    'GQ-18 shows %s of a colleague to administrators only, through every field',
    async (field) => {
      const way = `{ group(name: "by an admin") { name createdBy { name ${field} } } }`;
      const { body } = await viewer.graphql(way);
      expect(body.data).toEqual({
        group: { name: 'by an admin', createdBy: { name: 'admin of Acme Pagamentos', [field]: null } },
      });
      expect(body.errors).toMatchObject([
        { path: ['group', 'createdBy', field], extensions: { code: 'FORBIDDEN' } },
      ]);
    },
  );

  it('shows users their own fields', async () => {
    const operator = await server.member('acme', 'operator');
    await operator.client.post('groups', { name: 'own' });
    const own = '{ group(name: "own") { createdBy { email signInCount lastSignInAt timeZone } } }';
    expect(await answered(operator, own)).toMatchObject({
      group: { createdBy: { signInCount: 0, lastSignInAt: null, timeZone: 'UTC' } },
    });
  });

  it('is found by its id, and listed with its company, by administrators only', async () => {
    const id = nodeId('User', viewer.caller.userId);
    const operator = await server.member('acme', 'operator');
    for (const member of [viewer, operator, await server.member('acme', 'admin', ['read', 'write'])]) {
      const look = await refused(member, 'query ($id: ID!) { node(id: $id) { id } }', { id });
      expect(look.code).toBe('FORBIDDEN');
      const { body } = await member.graphql(
        '{ group(name: "by an admin") { createdBy { company { name users { nodes { name } } } } } }',
      );
      expect(body.errors).toMatchObject([
        { path: ['group', 'createdBy', 'company', 'users'], extensions: { code: 'FORBIDDEN' } },
      ]);
    }
  });

  it('is listed with the other members of the company only', async () => {
    const only = await server.member('beta', 'admin');
    const { users } = await answered<{ users: Page<Fields> }>(
      only,
      '{ users { totalCount nodes { databaseId company { databaseId name } } } }',
    );
    const company = { databaseId: only.caller.companyId, name: 'Beta Cards' };
    expect(users).toEqual({
      totalCount: 2,
      nodes: [server.beta.caller.userId, only.caller.userId]
        .toSorted((a, b) => a - b)
        .map((databaseId) => ({ databaseId, company })),
    });
    const foreign = nodeId('User', server.acme.caller.userId);
    expect(await answered(only, 'query ($id: ID!) { user(id: $id) { name } }', { id: foreign })).toEqual({
      user: null,
    });
  });
});
