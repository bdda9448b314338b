import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addPerson, signIn, PASSWORD } from '../../../support/people.js';
import { startServer, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const FIELDS = [
  'id',
  'email',
  'name',
  'sign_in_count',
  'last_sign_in_at',
  'last_sign_in_ip',
  'time_zone',
  'updated_at',
  'created_at',
];

describe('/v1/users', () => {
  it('shows a member with the documented fields, in their order', async () => {
    const { user, email } = await addPerson(server, { acme: 'viewer' });
    const { client } = server.acme;
    const before = await client.get(`users/${user.id}`);
    expect(before.status).toBe(200);
    expect(Object.keys(before.record('user'))).toEqual(FIELDS);
    expect(before.record('user')).toMatchObject({
      id: user.id,
      email,
      name: 'Ana Souza',
      sign_in_count: 0,
      last_sign_in_at: null,
      last_sign_in_ip: null,
      time_zone: 'UTC',
    });

    await signIn(server, { email, password: PASSWORD });
    const after = await client.get(`users/${user.id}`);
    expect(after.record('user')).toMatchObject({ sign_in_count: 1, last_sign_in_ip: '127.0.0.1' });
    expect(after.record('user').last_sign_in_at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('lists and counts only members of the company, ascending', async () => {
    const both = await addPerson(server, { acme: 'viewer', beta: 'admin' });
    const acme = await server.acme.client.get('users', undefined, { query: { per_page: 100 } });
    const beta = await server.beta.client.get('users', undefined, { query: { per_page: 100 } });
    const ids = (list: typeof acme): number[] => list.list('users').map((user) => Number(user.id));
    expect(ids(acme)).toContain(server.acme.caller.userId);
    expect(ids(acme)).not.toContain(server.beta.caller.userId);
    expect(ids(beta)).toEqual([server.beta.caller.userId, both.user.id].toSorted((a, b) => a - b));
    expect(ids(acme)).toEqual(ids(acme).toSorted((a, b) => a - b));
    expect(beta.body.pagination).toEqual({ page: 1, total_pages: 1, entries: 2, total_entries: 2 });
  });

  it('has the same error for users of other companies and unknown ones', async () => {
    const foreign = await server.acme.client.get(`users/${server.beta.caller.userId}`);
    const missing = await server.acme.client.get('users/999999');
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    const words = ({ body }: typeof foreign) => ({ ...body, request_id: '' });
    expect(words(foreign)).toEqual(words(missing));
  });

  it.each(['viewer', 'operator'] as const)('is forbidden for a %s', async (role) => {
    const { client } = await server.member('acme', role);
    expect((await client.get('users')).status).toBe(403);
    expect((await client.get(`users/${server.acme.caller.userId}`)).status).toBe(403);
  });

  it('lists in a constant number of statements', async () => {
    const count = async (): Promise<number> => {
      await server.beta.client.get('users');
      return (await server.statements(() => server.beta.client.get('users'))).statements.length;
    };
    const few = await count();
    for (let n = 0; n < 5; n += 1) await server.member('beta', 'viewer');
    expect(await count()).toBe(few);
    expect(few).toBe(2);
  });

  it('has no other methods', async () => {
    const reply = await server.acme.client.post('users', { email: 'new@acme.example' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
