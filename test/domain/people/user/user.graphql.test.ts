import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { answered, nodeId, refused, statementsFor, type Page } from '../../../support/dashboard.js';
import { startServer, type Member, type TestServer } from '../../../support/server.js';

let server: TestServer;
let viewer: Member;
beforeAll(async () => {
  server = await startServer();
  viewer = await server.member('acme', 'viewer');
  await viewer.client.post('/v1/none');
  await server.acme.client.post('groups', { name: 'by an admin' });
  await (await server.member('acme', 'operator')).client.post('groups', { name: 'by an operator' });
});
afterAll(async () => {
  await server.stop();
});

const PERSONAL = ['email', 'signInCount', 'lastSignInAt', 'lastSignInIp', 'timeZone', 'updatedAt'];

describe('a user in GraphQL', () => {
  it('shows an administrator what REST shows', async () => {
    const id = viewer.caller.userId;
    const { user } = await answered<{ user: Fields }>(
      server.acme,
      `query ($id: ID!) { user(id: $id) { databaseId name createdAt ${PERSONAL.join(' ')} } }`,
      { id: nodeId('User', id) },
    );
    const rest = (await server.acme.client.get(`users/${id}`)).record('user');
    expect(user).toMatchObject({
      ...{ databaseId: rest.id, name: rest.name, email: rest.email, signInCount: rest.sign_in_count },
      ...{ lastSignInAt: rest.last_sign_in_at, lastSignInIp: rest.last_sign_in_ip, timeZone: rest.time_zone },
    });
    expect(await answered(server.acme, `{ user(databaseId: ${id}) { name } }`)).toEqual({
      user: { name: rest.name },
    });
  });

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

  it('is looked up and listed by administrators only', async () => {
    const id = nodeId('User', viewer.caller.userId);
    for (const query of [
      'query ($id: ID!) { user(id: $id) { name } }',
      'query ($id: ID!) { node(id: $id) { id } }',
    ]) {
      expect((await refused(viewer, query, { id })).code).toBe('FORBIDDEN');
    }
    const operator = await server.member('acme', 'operator');
    for (const member of [viewer, operator, await server.member('acme', 'admin', ['read', 'write'])]) {
      expect((await refused(member, '{ users { nodes { name } } }')).code).toBe('FORBIDDEN');
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

  it('is listed from the company with as many statements for many users as for few', async () => {
    const query = `{ users { totalCount nodes { company { users(first: 2) { totalCount
      nodes { name apiTokens { totalCount nodes { lastFour } } } } } } } }`;
    const few = await statementsFor(server, server.beta, query);
    for (let n = 0; n < 5; n += 1) await server.member('beta', 'viewer');
    expect(await statementsFor(server, server.beta, query)).toHaveLength(few.length);
    expect(few).toHaveLength(6);
  });
});
