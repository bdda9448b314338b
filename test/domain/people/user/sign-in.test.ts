import { describe, expect, it } from 'vitest';

import { createPasswords } from '../../../../src/domain/people/user/password.service.js';
import { setPassword } from '../../../../src/domain/people/user/user.service.js';
import { DAY } from '../../../../src/platform/clock.js';
import { createClient } from '../../../support/client.js';
import { addPerson, fromElsewhere, PASSWORD, signIn, tokensIn } from '../../../support/people.js';
import { COMPANIES, startServer, SYSTEM, useServer } from '../../../support/server.js';

const server = useServer({ trustProxy: ['127.0.0.1'] });

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('POST /v1/users/token', () => {
  it('contract 25: answers an array with one entry for each company, ordered by company', async () => {
    const { email } = await addPerson(server, { beta: 'viewer', acme: 'admin' });
    const reply = await signIn(server, { email, password: PASSWORD });
    expect(reply.status).toBe(200);
    expect(tokensIn(reply).map(Object.keys)).toEqual([
      ['company_name', 'company_id', 'api_token'],
      ['company_name', 'company_id', 'api_token'],
    ]);
    expect(tokensIn(reply).map((entry) => [entry.company_id, entry.company_name])).toEqual([
      [server.acme.caller.companyId, COMPANIES.acme],
      [server.beta.caller.companyId, COMPANIES.beta],
    ]);
    for (const entry of tokensIn(reply)) expect(entry.api_token).toMatch(/^[0-9a-f]{40}$/);
  });

  it('contract 25: gives the same tokens at every call, each good for its company and role', async () => {
    const { email } = await addPerson(server, { acme: 'admin', beta: 'viewer' });
    const first = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const second = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(second).toEqual(first);
    const [acme, beta] = first.map((entry) => createClient(server.url, entry.api_token));
    expect((await acme?.post('groups', { name: 'with a derived token' }))?.status).toBe(201);
    expect((await acme?.get('users'))?.status).toBe(200);
    expect((await beta?.get('groups'))?.status).toBe(200);
    expect((await beta?.post('groups', { name: 'as a viewer' }))?.status).toBe(403);
    expect((await beta?.get('groups/with%20a%20derived%20token'))?.status).toBe(404);
  });

  it('contract 25: keeps hashes of tokens only', async () => {
    const { user, email } = await addPerson(server, { acme: 'admin' });
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    const rows = await server.app.database.reads
      .selectFrom('access_tokens')
      .selectAll()
      .where('user_id', '=', user.id)
      .execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(entry?.api_token);
  });

  it('contract 25: a token lapses after 90 days without use, and the next call makes a new one', async () => {
    const own = await startServer();
    const { email } = await addPerson(own, { acme: 'admin' });
    const token = async (): Promise<string> =>
      tokensIn(await signIn(own, { email, password: PASSWORD }))[0]?.api_token ?? '';
    const works = async (text: string): Promise<number> =>
      (await createClient(own.url, text).get('groups')).status;
    const lastUse = async (): Promise<number> => {
      const rows = await own.app.database.reads.selectFrom('access_tokens').select('last_used_at').execute();
      return Math.max(...rows.map((row) => row.last_used_at ?? 0));
    };
    // Use is written beside the answer.
    const noted = (): Promise<void> => expect.poll(lastUse).toBeGreaterThan(own.clock.now().getTime() - DAY);
    const first = await token();
    expect(await works(first)).toBe(200);
    own.clock.advance(89 * DAY);
    expect(await token()).toBe(first);
    expect(await works(first)).toBe(200);
    await noted();
    own.clock.advance(89 * DAY);
    expect(await works(first)).toBe(200);
    await noted();
    own.clock.advance(91 * DAY);
    expect(await works(first)).toBe(401);
    const second = await token();
    expect(second).not.toBe(first);
    expect([await works(first), await works(second)]).toEqual([401, 200]);
    await own.stop();
  });

  it('contract 25: counts as a sign-in', async () => {
    const { user, email } = await addPerson(server, { acme: 'viewer' });
    const before = await server.acme.client.get(`users/${user.id}`);
    await signIn(server, { email, password: PASSWORD });
    await signIn(server, { email, password: PASSWORD }, { headers: { 'x-forwarded-for': '198.51.100.7' } });
    await signIn(server, { email, password: 'not the right one' });
    const after = await server.acme.client.get(`users/${user.id}`);
    expect(after.record('user')).toMatchObject({ sign_in_count: 2, last_sign_in_ip: '198.51.100.7' });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('contract 25: takes the e-mail in any letter case', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    expect((await signIn(server, { email: email.toUpperCase(), password: PASSWORD })).status).toBe(200);
  });

  it.each([
    ['JSON that is labelled as a form', FORM, 200],
    ['JSON that is labelled as JSON', { 'content-type': 'application/json' }, 401],
    ['JSON without a label', {}, 401],
  ])('contract 25: percent-encoding inside %s', async (_case, label, status) => {
    const address = `a+b${status}${Object.keys(label).length}@people.example`;
    const password = 'one+one is 50%+50%';
    const { email } = await addPerson(server, { acme: 'viewer' }, { email: address, password });
    const encoded = (text: string): string => text.replaceAll('+', '%2B');
    const body = JSON.stringify({ email: encoded(email), password: encoded(password) });
    expect((await signIn(server, body, { headers: label })).status).toBe(status);
    expect((await signIn(server, JSON.stringify({ email, password }), { headers: label })).status).toBe(200);
  });

  it('contract 25: tries the literal values first', async () => {
    const password = 'literally %2B and %25';
    const { email } = await addPerson(server, { acme: 'viewer' }, { password });
    const reply = await signIn(server, JSON.stringify({ email, password }), { headers: FORM });
    expect(reply.status).toBe(200);
  });

  it('reads a real form too', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const body = new URLSearchParams({ email, password: PASSWORD }).toString();
    expect((await signIn(server, body, { headers: FORM })).status).toBe(200);
  });

  it.each([
    ['no password', { email: 'a@b.example' }, 'password', 'is required'],
    ['no e-mail', { password: PASSWORD }, 'email', 'is required'],
    ['a list', { email: ['a@b.example'], password: PASSWORD }, 'email', 'must be a string'],
    ['NUL', { email: 'a\0@b.example', password: PASSWORD }, 'email', 'must not contain NUL'],
  ])('refuses %s with 422', async (_case, body, field, message) => {
    const reply = await signIn(server, body);
    expect(reply.status).toBe(422);
    const errors = reply.body.errors as Record<string, string[]>;
    expect(errors[field]?.join()).toContain(message);
  });

  it('knows a password that was set in another Unicode form', async () => {
    const { email } = await addPerson(
      server,
      { acme: 'viewer' },
      { password: 'palavra-passe é'.normalize('NFC') },
    );
    const password = 'palavra-passe é'.normalize('NFD');
    expect((await signIn(server, { email, password })).status).toBe(200);
  });

  it('gives a user of no company no token, and changes of the password hold at once', async () => {
    const { user, email } = await addPerson(server, { acme: 'viewer' });
    const hash = await createPasswords().hash('another good password');
    await server.app.units.systemWrite(SYSTEM, (work) => setPassword(work, user, hash));
    expect((await signIn(server, { email, password: PASSWORD }, fromElsewhere())).status).toBe(401);
    expect((await signIn(server, { email, password: 'another good password' })).status).toBe(200);
  });

  it('contract 25: makes a new token where none is of its secret, and the old one stays valid', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const [before] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    await server.app.database.writes
      .updateTable('access_tokens')
      .set({ nonce: 'of another secret' })
      .where('last_four', '=', before?.api_token.slice(-4) ?? '')
      .execute();
    const [after] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect(after?.api_token).not.toBe(before?.api_token);
    const status = async (token = ''): Promise<number> =>
      (await createClient(server.url, token).get('groups')).status;
    expect([await status(before?.api_token), await status(after?.api_token)]).toEqual([200, 200]);
    expect(tokensIn(await signIn(server, { email, password: PASSWORD }))[0]).toEqual(after);
  });
});
