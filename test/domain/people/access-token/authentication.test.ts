import { describe, expect, it } from 'vitest';

import { instant } from '../../../../src/database/storage.js';
import {
  createNamedToken,
  getToken,
  revokeToken,
} from '../../../../src/domain/people/access-token/access-token.service.js';
import { disableUser, enableUser } from '../../../../src/domain/people/user/user.service.js';
import { MINUTE, SECOND } from '../../../../src/platform/clock.js';
import { type Client, createClient, type Reply } from '../../../support/client.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { SYSTEM, useServer, type Member } from '../../../support/server.js';

const server = useServer();

const status = async (client: Client): Promise<number> => (await client.get('groups')).status;

async function tokenOf(
  member: Member,
  expiresAt: Date | null = null,
): Promise<{ id: number; client: Client }> {
  const { companyId, userId } = member.caller;
  const { token, secret } = await server.app.units.systemWrite(SYSTEM, (work) =>
    createNamedToken(work, { companyId, userId }, { name: 'a', scopes: ['read'], expiresAt }),
  );
  return { id: token.id, client: createClient(server.url, secret) };
}

async function revoke(member: Member, id: number): Promise<void> {
  await server.app.units.write(member.caller, async (work) => revokeToken(work, await getToken(work, id)));
}

/** Response without its request id, so that responses can be compared. */
function seen({ status: code, body, headers }: Reply): unknown {
  return { code, body: { ...body, request_id: '' }, challenge: headers.get('www-authenticate') };
}

describe('an access token', () => {
  it('contract 5: goes in the query or in the Authorization header', async () => {
    const { token } = server.acme;
    expect(await status(createClient(server.url, token))).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    expect((await server.anonymous.get('groups', undefined, { headers })).status).toBe(200);
  });

  it('AT-01 that is no good is refused in the same words, whatever is wrong with it', async () => {
    const revoked = await tokenOf(server.acme);
    await revoke(server.acme, revoked.id);
    const expired = await tokenOf(server.acme, new Date(server.clock.now().getTime() + SECOND));
    server.clock.advance(2 * SECOND);
    const { token } = server.acme;
    const texts = ['', '0'.repeat(40), `${token.slice(0, 39)}x`, token.toUpperCase(), `${token} `];
    const long = ['a'.repeat(10_000), '🔑'.repeat(40)];
    const missing = await server.anonymous.get('groups');
    const replies = [
      await revoked.client.get('groups'),
      await expired.client.get('groups'),
      ...(await Promise.all([...texts, ...long].map((text) => createClient(server.url, text).get('groups')))),
    ];
    expect(seen(missing)).toEqual({
      code: 401,
      challenge: 'Bearer',
      body: { message: 'A valid access token is needed.', code: 'unauthenticated', request_id: '' },
    });
    for (const reply of replies) expect(seen(reply)).toEqual(seen(missing));
  });

  it('AT-02 is refused within five seconds where another process revoked it', async () => {
    const { id, client } = await tokenOf(server.acme);
    expect(await status(client)).toBe(200);
    const revoked_at = instant.toColumn(server.clock.now());
    await server.app.database.writes
      .updateTable('access_tokens')
      .set({ revoked_at })
      .where('id', '=', id)
      .execute();
    server.clock.advance(5 * SECOND);
    expect(await status(client)).toBe(401);
  });

  it('AT-03 dies with its user being disabled, in every company, and returns with the user', async () => {
    const { user, email } = await addPerson(server, { acme: 'admin', beta: 'admin' });
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const clients = entries.map((entry) => createClient(server.url, entry.api_token));
    const statuses = () => Promise.all(clients.map(status));
    expect(await statuses()).toEqual([200, 200]);
    await server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, user));
    expect(await statuses()).toEqual([401, 401]);
    await server.app.units.systemWrite(SYSTEM, (work) => enableUser(work, user));
    expect(await statuses()).toEqual([200, 200]);
  });

  it('AT-04 ends at its date, to the second', async () => {
    const end = new Date(server.clock.now().getTime() + 10 * MINUTE);
    const { client } = await tokenOf(server.acme, end);
    server.clock.advance(10 * MINUTE - 2 * SECOND);
    expect(await status(client)).toBe(200);
    server.clock.advance(2 * SECOND);
    expect(await status(client)).toBe(401);
  });

  it('AT-16 is one token: not two, not in a cookie, not in a body', async () => {
    const { token, client } = server.acme;
    const statusWith = async (given: string): Promise<number> =>
      (await client.get('groups', undefined, { headers: { authorization: `Bearer ${given}` } })).status;
    expect(await statusWith('0'.repeat(40))).toBe(400);
    expect(await statusWith(token)).toBe(200);
    const cookie = { headers: { cookie: `access_token=${token}` } };
    expect((await server.anonymous.get('groups', undefined, cookie)).status).toBe(401);
    expect((await server.anonymous.post('groups', { access_token: token, name: 'x' })).status).toBe(401);
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await server.anonymous.post('groups', `access_token=${token}`, form)).status).toBe(401);
  });
});
