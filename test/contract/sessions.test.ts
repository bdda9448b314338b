import { describe, expect, it } from 'vitest';

import type { SystemWriteWork } from '../../src/database/work.js';
import { CACHED_MS } from '../../src/domain/people/access-token/authentication.service.js';
import { createSignInCode } from '../../src/domain/people/user/account-link.service.js';
import { disableUser, setPassword } from '../../src/domain/people/user/user.service.js';
import { DAY, HOUR, MINUTE } from '../../src/platform/clock.js';
import { fileForm, type Fields } from '../support/client.js';
import {
  companyOf,
  isIn,
  ME,
  openBrowser,
  OWN_PAGE,
  PASSWORD_CHANGE,
  SIGN_IN,
  signedIn,
  twoBrowsers,
  type TestBrowser,
} from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { addPerson, failSignIns, PASSWORD, WRONG } from '../support/people.js';
import { ask, openRaw } from '../support/raw-socket.js';
import { ownServer, SYSTEM, useServer } from '../support/server.js';

/** Another origin, whose pages may send requests with a token: their cookie must not count. */
const SHOP = 'https://shop.example';
const server = useServer(
  { rateLimitPerHour: 1_000, trustProxy: ['loopback'], allowedOrigins: [SHOP] },
  { live: { recheckMs: 50 } },
);
/** A server that allows three requests an hour, and a browser of a session there. */
async function ofSmallLimit() {
  const small = await ownServer({ rateLimitPerHour: 3 });
  const { email } = await addPerson(small, { acme: 'viewer' });
  return { server: small, first: await signedIn(small.url, email) };
}
const NEW_PASSWORD = 'another good password';

interface ListedSession {
  readonly id: string;
  readonly current: boolean;
  readonly lastUsedAt: string;
}

interface Listed {
  readonly viewer: { readonly sessions: readonly ListedSession[] };
}
const SESSIONS = '{ viewer { sessions { id current ip userAgent createdAt lastUsedAt } } }';
const sessionsOf = async (browser: TestBrowser) =>
  (await browser.graphql<Listed>(SESSIONS)).body.data.viewer.sessions;

describe('signIn', () => {
  it('answers every wrong attempt alike, and sets no cookie', async () => {
    const { email } = await addPerson(server, { acme: 'admin' });
    const disabled = await addPerson(server, { acme: 'viewer' });
    await server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, disabled.user));
    const locked = await addPerson(server, { acme: 'viewer' });
    await failSignIns(server, locked.email, 10, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    for (const [given, password, from] of [
      [email, WRONG, {}],
      ['nobody@people.example', PASSWORD, {}],
      [email, 'x'.repeat(200), {}],
      [disabled.email, PASSWORD, {}],
      [locked.email, PASSWORD, { 'x-forwarded-for': '203.0.113.9' }],
    ] as const) {
      const browser = openBrowser(server.url, { ...OWN_PAGE, ...from });
      const { status, body, headers } = await browser.graphql(SIGN_IN, { email: given, password });
      expect([status, headers.get('set-cookie')]).toEqual([200, null]);
      const message = 'The e-mail address or the password is wrong.';
      const userErrors = [{ code: 'INVALID', rule: 'wrong_credentials', message, path: [] }];
      expect(body).toMatchObject({ data: { signIn: { viewer: null, userErrors } } });
    }
  });

  it('begins a session with the rights of the role, whose changes are of the interface', async () => {
    const { email } = await addPerson(server, { acme: 'operator' });
    const browser = openBrowser(server.url);
    const reply = await browser.graphql(SIGN_IN, { email, password: PASSWORD });
    const viewer = { role: 'OPERATOR', user: { email }, company: { name: 'Acme Pagamentos' } };
    expect(reply.body.data).toEqual({ signIn: { viewer, userErrors: [] } });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^session-7bde311d=[0-9a-f]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    const me = await browser.graphql(ME);
    expect(me.body.data).toMatchObject({ viewer: { scopes: ['READ', 'WRITE'], session: { current: true } } });
    const made = await browser.graphql(
      'mutation { groupCreate(input: { name: "by hand" }) { group { createdVia createdBy { name } } } }',
    );
    const group = { createdVia: 'INTERFACE', createdBy: { name: 'Ana Souza' } };
    expect(made.body.data).toEqual({ groupCreate: { group } });
    expect((await browser.graphql('{ users { totalCount } }')).body.errors?.[0]?.extensions.code).toBe(
      'FORBIDDEN',
    );
  });

  it('sets a cookie for this host and TLS alone where the browser speaks TLS', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email, { ...OWN_PAGE, 'x-forwarded-proto': 'https' });
    expect(browser.cookie).toMatch(/^__Host-session-7bde311d=/);
    expect(await isIn(browser)).toBe(true);
    const plain = openBrowser(server.url);
    plain.cookie = browser.cookie;
    expect(await isIn(plain)).toBe(false);
  });

  it('ends no session with another server on the same host, to which a browser sends the same cookies', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const other = await ownServer({ tokenSecret: 'the secret of another installation: 0123456789' });
    const { email: there } = await addPerson(other, { acme: 'viewer' });
    const [here, elsewhere] = [await signedIn(server.url, email), await signedIn(other.url, there)];
    const both = `${here.cookie}; ${elsewhere.cookie}`;
    [here.cookie, elsewhere.cookie] = [both, both];
    expect([await isIn(here), await isIn(elsewhere)]).toEqual([true, true]);
    await here.graphql('mutation { signOut { userErrors { code } } }');
    expect(await isIn(elsewhere)).toBe(true);
  });

  it('is all that a request without a token can do', async () => {
    const browser = openBrowser(server.url);
    for (const query of [
      ME,
      'mutation { signOut { userErrors { code } } }',
      'mutation { a: signInByLink(code: "x") { userErrors { code } } b: signInByLink(code: "y") { userErrors { code } } }',
      `mutation { signInByLink(code: "${'x'.repeat(20_000)}") { userErrors { code } } }`,
    ]) {
      const { status, body } = await browser.graphql(query);
      expect([status, body.errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
    const withToken = await server.acme.graphql(SIGN_IN, { email: 'a@b.example', password: PASSWORD });
    expect(withToken.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('a cookie', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page with another origin', { ...OWN_PAGE, origin: SHOP }],
    ['a program', {}],
    ['a form', { ...OWN_PAGE, 'content-type': 'text/plain' }],
    ['a form of fields', { ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with a file', { ...OWN_PAGE, 'content-type': 'multipart/form-data; boundary=x' }],
  ])('does not count for %s', async (_name, headers) => {
    const { email } = await addPerson(server, { acme: 'admin' });
    const { cookie } = await signedIn(server.url, email);
    const browser = openBrowser(server.url, headers);
    browser.cookie = cookie;
    expect((await browser.graphql(ME)).status).toBeGreaterThanOrEqual(400);
    expect((await browser.graphql(SIGN_IN, { email, password: PASSWORD })).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  it('counts with the origin of the server, where browsers send no Sec-Fetch-Site', async () => {
    const { email } = await addPerson(server, { acme: 'admin' });
    expect(await isIn(await signedIn(server.url, email, { origin: server.url }))).toBe(true);
  });

  it('does not count at /v1, for a query by GET, and beside a token', async () => {
    const { first } = await twoBrowsers(server);
    const headers = first.headers();
    const get = (path: string) => server.anonymous.get(path, undefined, { headers });
    expect((await get('/v1/groups')).status).toBe(401);
    expect((await get('/graphql?query=%7B__typename%7D')).status).toBeGreaterThanOrEqual(400);
    const withToken = await server.beta.graphql(ME, {}, { headers });
    expect(withToken.body.data).toMatchObject({ viewer: { company: { name: 'Beta Cards' }, session: null } });
  });

  it('uploads with the header of GraphQL clients alone', async () => {
    const { first } = await twoBrowsers(server);
    const company = await companyOf(first, server.url);
    const query = 'mutation ($file: Upload!) { fileCreate(input: { file: $file }) { file { name } } }';
    const send = (headers: Fields) =>
      server.anonymous.post(
        '/graphql',
        fileForm(
          'x.bin',
          'x',
          {
            operations: JSON.stringify({ query, variables: { file: null } }),
            map: '{"0":["variables.file"]}',
          },
          '0',
        ),
        { headers: { ...first.headers(), ...company, ...(headers as Record<string, string>) } },
      );
    expect((await send({ 'apollo-require-preflight': '1' })).text).toContain('"name":"x.bin"');
    expect((await send({ 'x-apollo-operation-name': 'x' })).status).toBe(401);
  });

  it('has a budget of its own for what pages read by themselves, after which all counts', async () => {
    const { server: small, first } = await ofSmallLimit();
    const left = async (options = {}) =>
      (await first.graphql(ME, {}, options)).headers.get('x-rate-limit-remaining');
    const refresh = { headers: { 'x-refresh': '1' } };
    expect(await left()).toBe('2');
    for (let n = 0; n < 3; n += 1) expect(await left(refresh)).toBeNull();
    expect([await left(refresh), await left(), await left(refresh)]).toEqual(['1', '0', '0']);
    expect((await first.graphql(ME, {}, refresh)).status).toBe(429);
    const withToken = await small.acme.graphql(ME, {}, refresh);
    expect(withToken.headers.get('x-rate-limit-remaining')).not.toBeNull();
  });

  it('counts requests for its user, not for the address', async () => {
    const { first, second } = await twoBrowsers(server);
    const left = async (browser: TestBrowser): Promise<number> =>
      Number((await browser.graphql(ME)).headers.get('x-rate-limit-remaining'));
    expect([await left(first), await left(second)]).toEqual([999, 998]);
    const { body } = await first.graphql('{ viewer { rateLimit { remaining } } }');
    expect(body.data).toEqual({ viewer: { rateLimit: { remaining: 997 } } });
  });
});

describe('a session', () => {
  it('ends when its browser signs in again, also as another user', async () => {
    const { user, first, second, email } = await twoBrowsers(server);
    const other = await addPerson(server, { beta: 'viewer' });
    await first.graphql(SIGN_IN, { email, password: WRONG });
    expect(await isIn(first)).toBe(true);
    for (const next of [email, other.email]) {
      const earlier = openBrowser(server.url);
      earlier.cookie = first.cookie;
      await first.graphql(SIGN_IN, { email: next, password: PASSWORD });
      expect(await Promise.all([earlier, first, second].map(isIn))).toEqual([false, true, true]);
    }
    expect(await sessionsOf(second)).toHaveLength(1);
    const { body } = await server.acme.graphql(
      '{ ledger(last: 2, filter: { action: { eq: "end" } }) { nodes { entityKind actor { id } } } }',
    );
    const entry = { entityKind: 'SESSION', actor: { id: nodeId('User', user.id) } };
    expect(body.data).toEqual({ ledger: { nodes: [entry, entry] } });
  });

  const END = 'mutation ($id: ID!) { sessionEnd(id: $id) { endedId userErrors { code } } }';

  type Given = Awaited<ReturnType<typeof twoBrowsers>>;
  const byAdministrator = (change: string) => (given: Given) =>
    server.acme.graphql(`mutation ($id: ID!) { ${change} { __typename } }`, {
      id: nodeId('User', given.user.id),
    });
  const byOperator =
    (change: (work: SystemWriteWork, user: Given['user']) => Promise<unknown>) => (given: Given) =>
      server.app.units.systemWrite(SYSTEM, (work) => change(work, given.user));

  it.each<[string, (given: Given) => unknown]>([
    [
      'it is ended in another one',
      async ({ second }) => {
        const id = (await sessionsOf(second)).find(({ current }) => !current)?.id;
        const { body } = await second.graphql(END, { id });
        expect(body.data).toEqual({ sessionEnd: { endedId: id, userErrors: [] } });
      },
    ],
    [
      'the user changes the password',
      ({ second }) => second.graphql(PASSWORD_CHANGE, { current: PASSWORD, new: NEW_PASSWORD }),
    ],
    ['the operator sets a password', byOperator((work, user) => setPassword(work, user, 'no hash'))],
    ['the operator disables the user', byOperator(disableUser)],
    ['the member is disabled', byAdministrator('userDisable(id: $id)')],
    ['the member is removed', byAdministrator('memberRemove(userId: $id)')],
    ['it was not used for 12 hours', () => server.clock.advance(12 * HOUR)],
  ])('ends when %s', async (_name, end) => {
    const given = await twoBrowsers(server);
    expect(await isIn(given.first)).toBe(true);
    await end(given);
    expect(await isIn(given.first)).toBe(false);
  });

  it('ends by signing out, which removes the cookie', async () => {
    const { first, second } = await twoBrowsers(server);
    const { cookie } = first;
    const out = await first.graphql('mutation { signOut { userErrors { code } } }');
    expect(out.body.data).toEqual({ signOut: { userErrors: [] } });
    expect(first.cookie).toBeNull();
    first.cookie = cookie;
    expect([await isIn(first), await isIn(second)]).toEqual([false, true]);
  });

  it('lasts seven days if it is used, and no longer', async () => {
    const { first } = await twoBrowsers(server);
    for (let hours = 10; hours < 7 * 24; hours += 10) {
      server.clock.advance(10 * HOUR);
      const before = server.clock.now();
      expect(await isIn(first)).toBe(true);
      const lastUsed = async () =>
        String((await sessionsOf(first)).find(({ current }) => current)?.lastUsedAt);
      await expect
        .poll(async () => new Date(await lastUsed()).getTime())
        .toBeGreaterThanOrEqual(before.getTime());
    }
    server.clock.advance(8 * HOUR);
    expect(await isIn(first)).toBe(false);
  });

  it('is listed for its user alone, with address and browser; the oldest of many ends', async () => {
    const { first, email } = await twoBrowsers(server);
    expect(await sessionsOf(first)).toMatchObject([
      { ip: '127.0.0.1', userAgent: 'Browser/1.0' },
      { ip: '127.0.0.1', userAgent: 'Browser/1.0' },
    ]);
    const other = await twoBrowsers(server);
    const [of] = await sessionsOf(other.first);
    expect((await first.graphql(END, { id: of?.id })).body.data).toMatchObject({
      sessionEnd: { endedId: null, userErrors: [{ code: 'NOT_FOUND' }] },
    });
    server.clock.advance(MINUTE);
    for (let n = 0; n < 19; n += 1) await signedIn(server.url, email);
    server.clock.advance(CACHED_MS);
    expect(await isIn(first)).toBe(false);
    expect((await server.acme.graphql(SESSIONS)).body.data).toEqual({ viewer: { sessions: [] } });
  });
});

describe('live', () => {
  const FOLLOW = 'subscription { ledgerAppended { sequence } }';

  it('a socket takes the cookie from a page of the server alone, and ends with the session', async () => {
    const { first, second } = await twoBrowsers(server);
    const cookie = first.cookie ?? '';
    const raw = await openRaw(server, { headers: { cookie, origin: server.url } });
    raw.say({ type: 'connection_init' });
    await raw.hear({ type: 'connection_ack' });
    expect((await ask(raw, ME)).payload).toMatchObject({ data: { viewer: { session: { current: true } } } });
    raw.say({ type: 'subscribe', id: 'live', payload: { query: FOLLOW } });
    const program = await openRaw(server, { headers: { cookie } });
    program.say({ type: 'connection_init' });
    expect((await program.ended).code).toBe(4403);
    const foreign = await openRaw(server, { headers: { cookie, origin: SHOP } });
    foreign.say({ type: 'connection_init' });
    expect((await foreign.ended).code).toBe(4403);
    await second.graphql(PASSWORD_CHANGE, { current: PASSWORD, new: NEW_PASSWORD });
    expect((await raw.ended).code).toBe(4403);
  });

  it('a stream ends when the session goes on in another company', async () => {
    const { first } = await twoBrowsers(server, { acme: 'admin', beta: 'admin' });
    const url = `${server.url}/graphql/stream?query=${encodeURIComponent(FOLLOW)}`;
    const accept = { accept: 'text/event-stream' };
    expect((await fetch(url, { headers: { ...accept, cookie: first.cookie ?? '' } })).status).toBe(401);
    const stream = await fetch(url, { headers: { ...accept, ...first.headers() } });
    const id = nodeId('Company', server.beta.caller.companyId);
    await first.graphql('mutation ($id: ID!) { companySwitch(companyId: $id) { userErrors { code } } }', {
      id,
    });
    await server.acme.graphql('mutation { groupCreate(input: { name: "after" }) { group { id } } }');
    expect(await stream.text()).toContain('UNAUTHENTICATED');
  });
});

describe('signInByLink', () => {
  const LINK =
    'mutation ($code: String!) { signInByLink(code: $code) { viewer { role } userErrors { rule } } }';
  const ended = { signInByLink: { viewer: null, userErrors: [{ rule: 'link_ended' }] } };

  it('signs in once, from this machine, within ten minutes', async () => {
    const { user } = await addPerson(server, { acme: 'operator' });
    const code = await createSignInCode(server.app.units, user.id);
    const elsewhere = openBrowser(server.url, { ...OWN_PAGE, 'x-forwarded-for': '203.0.113.10' });
    expect((await elsewhere.graphql(LINK, { code })).body.data).toEqual(ended);
    const browser = openBrowser(server.url);
    const viewer = { role: 'OPERATOR' };
    expect((await browser.graphql(LINK, { code })).body.data).toEqual({
      signInByLink: { viewer, userErrors: [] },
    });
    expect(await isIn(browser)).toBe(true);
    expect((await openBrowser(server.url).graphql(LINK, { code })).body.data).toEqual(ended);
    const late = await createSignInCode(server.app.units, user.id);
    server.clock.advance(10 * MINUTE);
    expect((await openBrowser(server.url).graphql(LINK, { code: late })).body.data).toEqual(ended);
  });
});

it('rows of sessions that are over do not stay', async () => {
  const { user, email } = await twoBrowsers(server);
  server.clock.advance(8 * DAY);
  await signedIn(server.url, email);
  const rows = server.app.database.writes.selectFrom('sessions').select('id').where('user_id', '=', user.id);
  expect(await rows.execute()).toHaveLength(1);
});
