import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { instant } from '../../../../src/database/storage.js';
import {
  createNamedToken,
  getToken,
  revokeToken,
} from '../../../../src/domain/people/access-token/access-token.service.js';
import { removeMember } from '../../../../src/domain/people/user/member.changes.service.js';
import { getUser } from '../../../../src/domain/people/user/member.service.js';
import { disableUser, enableUser } from '../../../../src/domain/people/user/user.service.js';
import { DAY, MINUTE, SECOND } from '../../../../src/platform/clock.js';
import { type Client, createClient, type Reply } from '../../../support/client.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { type Member, startServer, SYSTEM, type TestServer } from '../../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

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

  it('contract 5: whose scopes do not cover a call is 403, whatever the role', async () => {
    const reader = await server.member('acme', 'admin', ['read']);
    const viewer = await server.member('acme', 'viewer');
    const ingest = await server.member('acme', 'admin', ['ingest']);
    expect((await reader.client.post('groups', { name: 'x' })).status).toBe(403);
    expect((await viewer.client.post('groups', { name: 'x' })).status).toBe(403);
    expect((await ingest.client.get('groups')).status).toBe(403);
    expect((await reader.client.get('groups')).status).toBe(200);
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

  it('AT-02 is refused as soon as it is revoked', async () => {
    const { id, client } = await tokenOf(server.acme);
    expect(await status(client)).toBe(200);
    await revoke(server.acme, id);
    expect(await status(client)).toBe(401);
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

  it('AT-02 of another company cannot be revoked or seen', async () => {
    const { id } = await tokenOf(server.acme);
    await expect(revoke(server.beta, id)).rejects.toThrow('No such access token.');
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

  it('AT-03 dies with the membership, and that of the other company lives on', async () => {
    const { user, email } = await addPerson(server, { acme: 'admin', beta: 'admin' });
    const entries = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const [acme, beta] = entries.map((entry) => createClient(server.url, entry.api_token)) as [
      Client,
      Client,
    ];
    expect([await status(acme), await status(beta)]).toEqual([200, 200]);
    const { companyId } = server.beta.caller;
    await server.app.units.write(server.beta.caller, async (work) =>
      removeMember(work, await getUser(work, user.id)),
    );
    expect([await status(acme), await status(beta)]).toEqual([200, 401]);
    expect(tokensIn(await signIn(server, { email, password: PASSWORD }))).toEqual([entries[0]]);
    const rows = await server.app.database.reads
      .selectFrom('ledger')
      .select(['action', 'entity_type'])
      .where('company_id', '=', companyId)
      .orderBy('sequence', 'desc')
      .limit(2)
      .execute();
    expect(rows.map((row) => `${row.action} ${row.entity_type}`)).toEqual([
      'delete membership',
      'delete access_token',
    ]);
  });

  it('AT-04 ends at its date, to the second', async () => {
    const end = new Date(server.clock.now().getTime() + 10 * MINUTE);
    const { client } = await tokenOf(server.acme, end);
    server.clock.advance(10 * MINUTE - 2 * SECOND);
    expect(await status(client)).toBe(200);
    server.clock.advance(2 * SECOND);
    expect(await status(client)).toBe(401);
  });

  it('cannot end before it begins', async () => {
    const yesterday = new Date(server.clock.now().getTime() - DAY);
    await expect(tokenOf(server.acme, yesterday)).rejects.toThrow('not valid');
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
