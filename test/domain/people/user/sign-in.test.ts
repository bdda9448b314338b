import { describe, expect, it } from 'vitest';

import { createPasswords } from '../../../../src/domain/people/user/password.service.js';
import { createSignIn, createSignInThrottle } from '../../../../src/domain/people/user/sign-in.service.js';
import { disableUser, setPassword } from '../../../../src/domain/people/user/user.service.js';
import { DAY } from '../../../../src/platform/clock.js';
import { inMemory } from '../../../../src/platform/windows.js';
import { createClient } from '../../../support/client.js';
import {
  addPerson,
  fromElsewhere,
  PASSWORD,
  signIn,
  tokensIn,
  failSignIns,
  signInEvents,
  WRONG,
} from '../../../support/people.js';
import {
  COMPANIES,
  type Member,
  type Reply,
  startServer,
  SYSTEM,
  useServer,
} from '../../../support/server.js';

const server = useServer({ trustProxy: ['127.0.0.1'] });

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('POST /v1/users/token', () => {
  it('contract 25: answers an array with one entry for each company, ordered by company', async () => {
    const { email } = await addPerson(server, { beta: 'viewer', acme: 'admin' });
    const reply = await signIn(server, { email, password: PASSWORD });
    expect(reply.status).toBe(200);
    const entry = ({ caller }: Member, company_name: string) => {
      const api_token = expect.stringMatching(/^[0-9a-f]{40}$/) as string;
      return { company_name, company_id: caller.companyId, api_token };
    };
    const entries = [entry(server.acme, COMPANIES.acme), entry(server.beta, COMPANIES.beta)];
    expect(tokensIn(reply)).toEqual(entries);
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
    const { email } = await addPerson(server, { acme: 'admin' });
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }));
    expect((await server.place.stored()).includes(entry?.api_token ?? 'none')).toBe(false);
  });

  it('contract 25: a token lapses after 90 days without use, and the next call makes a new one', async () => {
    const own = await startServer();
    const { email } = await addPerson(own, { acme: 'admin' });
    const token = async (): Promise<string> =>
      tokensIn(await signIn(own, { email, password: PASSWORD }))[0]?.api_token ?? '';
    const works = async (text: string): Promise<number> =>
      (await createClient(own.url, text).get('groups')).status;
    const lastUse = async () =>
      (await own.place.sql('select max(last_used_at) as at from access_tokens'))[0]?.at;
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
    const text = 'palavra-passe é';
    const { email } = await addPerson(server, { acme: 'viewer' }, { password: text.normalize('NFC') });
    expect((await signIn(server, { email, password: text.normalize('NFD') })).status).toBe(200);
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

/** Everything a client can see but what differs from one answer to the next by nature. */
function seen(reply: Reply): unknown {
  const varying = ['x-request-id', 'date', 'x-rate-limit-remaining', 'x-rate-limit-reset', 'content-length'];
  const headers = [...reply.headers.entries()].filter(([name]) => !varying.includes(name));
  return { status: reply.status, headers, body: { ...reply.body, request_id: '' } };
}

describe('a refused sign-in', () => {
  it('AT-05 looks the same for an unknown, a wrong, a locked and a disabled account', async () => {
    const known = await addPerson(server, { acme: 'viewer' });
    const locked = await addPerson(server, { acme: 'viewer' });
    const disabled = await addPerson(server, { acme: 'viewer' });
    const here = fromElsewhere();
    await failSignIns(server, locked.email, 10, here);
    await server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, disabled.user));
    const nobody = { email: 'nobody@people.example', password: PASSWORD };
    const unknown = await signIn(server, nobody, fromElsewhere());
    const replies = [
      await signIn(server, { email: known.email, password: WRONG }, fromElsewhere()),
      await signIn(server, { email: known.email, password: 'short' }, fromElsewhere()),
      await signIn(server, { email: locked.email, password: PASSWORD }, here),
      await signIn(server, { email: locked.email, password: WRONG }, here),
      await signIn(server, { email: disabled.email, password: PASSWORD }, fromElsewhere()),
    ];
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer');
    for (const reply of replies) expect(seen(reply)).toEqual(seen(unknown));
  });

  it('AT-05 costs one hash and the same writes, whether the account is known, locked or neither', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const here = fromElsewhere();
    const cost = async (address: string, password: string, from = fromElsewhere()): Promise<string[]> => {
      const { statements } = await server.statements(() =>
        signIn(server, { email: address, password }, from),
      );
      return statements.filter((sql) => /^(insert|update|delete)|ledger/.test(sql));
    };
    const unknown = await cost('nobody@people.example', WRONG);
    expect(unknown.length).toBeGreaterThanOrEqual(4);
    expect(await cost(email, WRONG)).toEqual(unknown);
    await failSignIns(server, email, 10, here);
    expect(await cost(email, WRONG, here)).toEqual(unknown);
    expect(await cost(email, PASSWORD, here)).toEqual(unknown);
  });

  it('AT-08 holds a network back after 30 failures in 10 minutes, whatever the accounts', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const spray = (n: number, host: number) =>
      signIn(
        server,
        { email: n === 0 ? email : `somebody${n}@people.example`, password: WRONG },
        { headers: { 'x-forwarded-for': `2001:db8:1:1::${host}` } },
      );
    for (let n = 0; n < 30; n += 1) expect((await spray(n, n + 1)).status).toBe(401);
    const held = await spray(31, 99);
    expect([held.status, held.body.code]).toEqual([429, 'too_many_attempts']);
    const seconds = Number(held.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(600);
    // The right password is refused, too; from elsewhere, the account is as open as before.
    const right = { email, password: PASSWORD };
    const here = { headers: { 'x-forwarded-for': '2001:db8:1:1::1' } };
    expect((await signIn(server, right, here)).status).toBe(429);
    const next = { headers: { 'x-forwarded-for': '2001:db8:1:2::1' } };
    expect((await signIn(server, right, next)).status).toBe(200);
    expect(await signInEvents(server, user.id)).toEqual(['sign_in_failed', 'sign_in']);
  });

  it('AT-08 holds a network back also where its failures come all at once', async () => {
    const options = { headers: { 'x-forwarded-for': '192.0.2.77' } };
    const replies = await Promise.all(
      Array.from({ length: 36 }, (_, n) =>
        signIn(server, { email: `at-once${n}@people.example`, password: WRONG }, options),
      ),
    );
    const statuses = replies.map((reply) => reply.status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(33);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  it('a password that changes while it is being checked opens nothing any more', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const { units } = server.app;
    const passwords = createPasswords();
    const changed = await passwords.hash('another good password');
    const signInMeanwhile = createSignIn({
      units,
      throttle: createSignInThrottle(inMemory(server.clock)),
      tokenSecret: 'of no use here',
      passwords: {
        inTurn: (use) =>
          passwords.inTurn((verify) =>
            use(async (hash, password) => {
              const matches = await verify(hash, password);
              await units.systemWrite(SYSTEM, (work) => setPassword(work, user, changed));
              return matches;
            }),
          ),
      },
    });
    const request = { ...SYSTEM, ip: '192.0.2.78', labelledAsForm: false };
    await expect(signInMeanwhile({ email, password: PASSWORD }, request)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  it('AT-36 records who, from where and by which request, and no secret', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const headers = { 'x-forwarded-for': '198.51.100.20', 'x-request-id': 'sign-in-of-at-36' };
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }, { headers }));
    await signIn(server, { email: 'nobody@people.example', password: 'a secret typed there' }, { headers });
    const rows = await server.place.sql(
      "select * from ledger where request_id = 'sign-in-of-at-36' order by position",
    );
    const { acme, beta } = { acme: server.acme.caller.companyId, beta: server.beta.caller.companyId };
    expect(rows.map((row) => [row.action, row.entity_type, row.company_id, row.user_id])).toEqual([
      ['sign_in', 'sign_in', acme, user.id],
      ['sign_in', 'sign_in', beta, user.id],
      ['create', 'access_token', acme, user.id],
      ['create', 'access_token', beta, user.id],
      ['sign_in_failed', 'sign_in', null, null],
    ]);
    expect(new Set(rows.map((row) => row.ip))).toEqual(new Set(['198.51.100.20']));
    const all = JSON.stringify(await server.app.database.reads.selectFrom('ledger').selectAll().execute());
    for (const secret of [PASSWORD, 'a secret typed there', entry?.api_token ?? '', '$argon2id$'])
      expect(all).not.toContain(secret);
  });
});

describe('hashing', () => {
  it.each([
    ['129 characters', 'x'.repeat(129), 422],
    ['a megabyte', 'x'.repeat(1_000_000), 413],
    ['3,000 combining marks', `a${'\u0301\u0316'.repeat(1_500)}`, 422],
    ['10,000 combining marks', `a${'\u0301\u0316'.repeat(5_000)}`, 413],
  ])('AT-09 refuses a password of %s before any', async (_case, password, status) => {
    const { result, statements } = await server.statements(() =>
      signIn(server, { email: 'nobody@people.example', password }),
    );
    expect([result.status, statements]).toEqual([status, []]);
  });
});
