import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { openBrowser, SIGN_IN, signedIn, type TestBrowser } from '../../../support/console.js';
import { changed, nodeId } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { codeIn, openMailbox } from '../../../support/mailbox.js';
import { addPerson, fromElsewhere } from '../../../support/people.js';
import {
  startServer,
  useServer,
  type Fields,
  type Member,
  type TestServer,
} from '../../../support/server.js';

const ERRORS = 'userErrors { code rule path message }';
const INVITE = `mutation ($input: MemberAddInput!) { memberInvite(input: $input) { user { id } link ${ERRORS} } }`;
const RESET = `mutation ($userId: ID!) { passwordReset(userId: $userId) { link ${ERRORS} } }`;
const SET = `mutation ($code: String!, $password: String!) {
  passwordSetByLink(code: $code, password: $password) { viewer { role user { email } } ${ERRORS} } }`;
const REQUEST = `mutation ($email: String!) { passwordRequest(email: $email) { ${ERRORS} } }`;
const CHANGE = `mutation ($email: String!, $password: String!) { emailChange(email: $email, password: $password) { ${ERRORS} } }`;
const CONFIRM = `mutation ($code: String!) { emailConfirm(code: $code) { email ${ERRORS} } }`;
const CHOSEN = 'a password that I chose';

interface Payload {
  readonly link: string | null;
  readonly user: { readonly id: string } | null;
  readonly userErrors: readonly Readonly<Record<'code' | 'rule' | 'message', string>>[];
}

let people = 0;
const invite = (member: Member, email = `invited${++people}@people.example`) =>
  changed<Payload>(member, INVITE, { input: { email, name: 'Rui Costa', role: 'OPERATOR' } }).then(
    (payload) => ({
      ...payload,
      email,
      code: codeIn(payload.link ?? ''),
    }),
  );

const payloadOf = async (browser: TestBrowser, query: string, variables: Fields) => {
  const { body } = await browser.graphql<Record<string, Payload & { readonly email: string | null }>>(
    query,
    variables,
  );
  const [payload] = Object.values(body.data);
  if (payload === undefined) throw new Error(JSON.stringify(body));
  return payload;
};

const rulesOf = async (...given: Parameters<typeof payloadOf>): Promise<readonly string[]> =>
  (await payloadOf(...given)).userErrors.map(({ rule }) => rule);

const canSignIn = async (server: TestServer, email: string, password: string): Promise<boolean> =>
  (await rulesOf(openBrowser(server.url), SIGN_IN, { email, password })).length === 0;

describe('a link to choose a password', () => {
  const server = useServer({ trustProxy: ['loopback'] });

  it('lets an invited person in, once', async () => {
    const { email, link, code } = await invite(server.acme);
    expect(link).toMatch(/^\/console#set-password=[0-9a-f]{40}$/);
    const browser = openBrowser(server.url);
    expect(await rulesOf(browser, SET, { code, password: 'short' })).toEqual(['too_short']);
    const { viewer, userErrors } = (await payloadOf(browser, SET, {
      code,
      password: CHOSEN,
    })) as unknown as Fields;
    expect({ viewer, userErrors }).toEqual({ viewer: { role: 'OPERATOR', user: { email } }, userErrors: [] });
    expect((await browser.graphql('{ viewer { role } }')).status).toBe(200);
    expect(await rulesOf(openBrowser(server.url), SET, { code, password: CHOSEN })).toEqual(['link_ended']);
    expect(await canSignIn(server, email, CHOSEN)).toBe(true);
  });

  it('works for 72 hours, and until the next one is made', async () => {
    const { code, user } = await invite(server.acme);
    const reset = await changed<Payload>(server.acme, RESET, { userId: user?.id });
    const browser = openBrowser(server.url);
    expect(await rulesOf(browser, SET, { code, password: CHOSEN })).toEqual(['link_ended']);
    server.clock.advance(72 * HOUR);
    expect(await rulesOf(browser, SET, { code: codeIn(reset.link ?? ''), password: CHOSEN })).toEqual([
      'link_ended',
    ]);
  });

  it('replaces a password only when it is used, and ends all sessions then', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const before = await signedIn(server.url, email);
    const { link } = await changed<Payload>(server.acme, RESET, { userId: nodeId('User', user.id) });
    expect((await before.graphql('{ viewer { role } }')).status).toBe(200);
    await payloadOf(openBrowser(server.url), SET, { code: codeIn(link ?? ''), password: CHOSEN });
    server.clock.advance(5_000);
    expect((await before.graphql('{ viewer { role } }')).status).toBe(401);
    const actions = (await ledgerOf(server, server.acme, 'user', user.id)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['issue', 'set_password']);
    expect(JSON.stringify(await ledgerOf(server, server.acme, 'user', user.id))).not.toContain(
      codeIn(link ?? ''),
    );
  });

  it('does not let an administrator of one company into another', async () => {
    const { user } = await addPerson(server, { acme: 'viewer', beta: 'admin' });
    const payload = await changed<Payload>(server.acme, RESET, { userId: nodeId('User', user.id) });
    expect(payload).toMatchObject({ link: null, userErrors: [{ rule: 'several_companies' }] });
    const { email } = await addPerson(server, { beta: 'viewer' });
    expect(await invite(server.acme, email)).toMatchObject({ link: null, userErrors: [] });
    const other = await addPerson(server, { beta: 'viewer' });
    const foreign = await changed<Payload>(server.acme, RESET, { userId: nodeId('User', other.user.id) });
    expect(foreign).toMatchObject({ link: null, userErrors: [{ code: 'NOT_FOUND' }] });
  });

  it('counts wrong codes like wrong passwords', async () => {
    const { headers } = fromElsewhere();
    const browser = openBrowser(server.url, { 'sec-fetch-site': 'same-origin', ...headers });
    for (let n = 0; n < 30; n += 1) {
      expect(await rulesOf(browser, SET, { code: `${n}`, password: CHOSEN })).toEqual(['link_ended']);
    }
    const { body } = await browser.graphql(SET, { code: '30', password: CHOSEN });
    expect(body.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
  });

  it('needs a page of this server, and e-mails a server that sends them', async () => {
    const { code } = await invite(server.acme);
    const elsewhere = openBrowser(server.url, {
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    });
    const { body } = await elsewhere.graphql(SET, { code, password: CHOSEN });
    expect(body.errors?.[0]?.extensions.code).toMatch(/UNAUTHENTICATED|FORBIDDEN/);
    expect(await rulesOf(openBrowser(server.url), REQUEST, { email: 'a@b.example' })).toEqual(['no_mail']);
    const { email } = await addPerson(server, { acme: 'viewer' });
    const change = { email: 'new@people.example', password: 'x' };
    expect(await rulesOf(await signedIn(server.url, email), CHANGE, change)).toEqual(['no_mail']);
  });
});

describe('e-mails', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let server: TestServer;
  beforeAll(async () => {
    mailbox = await openMailbox();
    const mail = { url: mailbox.url, from: 'gateway@gateway.example' };
    server = await startServer({ mail, publicUrl: 'https://gateway.example', trustProxy: ['loopback'] });
  });
  afterAll(async () => {
    await server.stop();
    await mailbox.close();
  });

  it('invite people, with the link that the administrator sees', async () => {
    const { email, link } = await invite(server.acme);
    const [letter] = await mailbox.to(email);
    expect(letter?.text).toContain(link);
    expect(link).toMatch(/^https:\/\/gateway\.example\/console#set-password=/);
  });

  it('bring a link to those who have forgotten their password, at most one in five minutes', async () => {
    const { email } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    const browser = openBrowser(server.url);
    for (const given of ['nobody@people.example', email.toUpperCase(), email]) {
      expect(await rulesOf(browser, REQUEST, { email: given })).toEqual([]);
    }
    const [letter] = await mailbox.to(email);
    server.clock.advance(5 * MINUTE);
    await payloadOf(browser, REQUEST, { email });
    expect(await mailbox.to(email, 2)).toHaveLength(2);
    expect(mailbox.letters.filter(({ to }) => to.startsWith('nobody'))).toEqual([]);
    expect(await rulesOf(browser, SET, { code: codeIn(letter?.text ?? ''), password: CHOSEN })).toEqual([
      'link_ended',
    ]);
    const latest = mailbox.letters.findLast(({ to }) => to === email)?.text ?? '';
    expect(await rulesOf(browser, SET, { code: codeIn(latest), password: CHOSEN })).toEqual([]);
  });

  it('confirm a new address, which nobody else has', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const taken = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email);
    const password = 'correct horse battery staple';
    const wanted = `moved.${email}`;
    expect(await rulesOf(browser, CHANGE, { email: wanted, password: 'wrong password' })).toEqual([
      'wrong_password',
    ]);
    expect(await rulesOf(browser, CHANGE, { email: 'nonsense', password })).toEqual(['email']);
    expect(await rulesOf(browser, CHANGE, { email: wanted, password })).toEqual([]);
    const [letter] = await mailbox.to(wanted);
    await mailbox.to(email);
    const code = codeIn(letter?.text ?? '');
    expect(await payloadOf(openBrowser(server.url), CONFIRM, { code })).toMatchObject({
      email: wanted,
      userErrors: [],
    });
    expect(await rulesOf(openBrowser(server.url), CONFIRM, { code })).toEqual(['link_ended']);
    expect(await canSignIn(server, wanted, password)).toBe(true);
    expect(await canSignIn(server, email, password)).toBe(false);
    await payloadOf(browser, CHANGE, { email: taken.email, password });
    const second = (await mailbox.to(taken.email)).at(-1);
    const { userErrors } = await payloadOf(openBrowser(server.url), CONFIRM, {
      code: codeIn(second?.text ?? ''),
    });
    expect(userErrors).toMatchObject([{ code: 'TAKEN' }]);
  });
});
