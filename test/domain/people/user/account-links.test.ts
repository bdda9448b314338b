import { describe, expect, it } from 'vitest';

import { HOUR, MINUTE } from '../../../../src/platform/clock.js';
import { openBrowser, signedIn, type TestBrowser } from '../../../support/console.js';
import { changed, nodeId } from '../../../support/dashboard.js';
import { ledgerOf } from '../../../support/fleet.js';
import { codeIn, useServerWithMail } from '../../../support/mailbox.js';
import { mutationOf } from '../../../support/mutations.js';
import { addPerson, fromElsewhere } from '../../../support/people.js';
import { useServer, type Fields, type Member, type TestServer } from '../../../support/server.js';

const CHOSEN = 'a password that I chose';

interface Linked {
  readonly link: string | null;
  readonly user: { readonly id: string } | null;
  readonly userErrors: readonly Fields[];
}

const ERRORS = 'userErrors { code rule path message }';
let people = 0;
async function invite(member: Member, email = `invited${++people}@people.example`) {
  const query = mutationOf('memberInvite', `user { id } link ${ERRORS}`);
  const input = { email, name: 'Rui Costa', role: 'OPERATOR' };
  const payload = await changed<Linked>(member, query, { input });
  return { ...payload, email, code: codeIn(payload.link ?? '') };
}
const reset = (member: Member, userId: string | undefined): Promise<Linked> =>
  changed<Linked>(member, mutationOf('passwordReset', `link ${ERRORS}`), { userId });

async function payloadOf(browser: TestBrowser, name: string, variables: Fields, selection = '') {
  const query = mutationOf(name, `${selection} ${ERRORS}`);
  const { body } = await browser.graphql<Record<string, Fields & Pick<Linked, 'userErrors'>>>(
    query,
    variables,
  );
  const payload = body.data[name];
  if (payload === undefined) throw new Error(JSON.stringify(body));
  return payload;
}

const rulesOf = async (...given: Parameters<typeof payloadOf>): Promise<readonly unknown[]> =>
  (await payloadOf(...given)).userErrors.map(({ rule }) => rule);
/** Chooses a password by a code; resolves to the rules by which that is refused. */
const choose = (browser: TestBrowser, code: string, password = CHOSEN) =>
  rulesOf(browser, 'passwordSetByLink', { code, password });

const canSignIn = async (server: TestServer, email: string, password: string): Promise<boolean> =>
  (await rulesOf(openBrowser(server.url), 'signIn', { email, password })).length === 0;

describe('a link to choose a password', () => {
  const server = useServer({ trustProxy: ['loopback'] });

  it('lets an invited person in, once', async () => {
    const { email, link, code } = await invite(server.acme);
    expect(link).toMatch(/^\/console#set-password=[0-9a-f]{40}$/);
    const browser = openBrowser(server.url);
    expect(await choose(browser, code, 'short')).toEqual(['too_short']);
    const fields = 'viewer { role user { email } }';
    const { viewer, userErrors } = await payloadOf(
      browser,
      'passwordSetByLink',
      { code, password: CHOSEN },
      fields,
    );
    expect({ viewer, userErrors }).toEqual({ viewer: { role: 'OPERATOR', user: { email } }, userErrors: [] });
    expect((await browser.graphql('{ viewer { role } }')).status).toBe(200);
    expect(await choose(openBrowser(server.url), code)).toEqual(['link_ended']);
    expect(await canSignIn(server, email, CHOSEN)).toBe(true);
  });

  it('works for 72 hours, and until the next one is made', async () => {
    const { code, user } = await invite(server.acme);
    const { link } = await reset(server.acme, user?.id);
    const browser = openBrowser(server.url);
    expect(await choose(browser, code)).toEqual(['link_ended']);
    server.clock.advance(72 * HOUR);
    expect(await choose(browser, codeIn(link ?? ''))).toEqual(['link_ended']);
  });

  it('replaces a password only when it is used, and ends all sessions then', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const before = await signedIn(server.url, email);
    const { link } = await reset(server.acme, nodeId('User', user.id));
    expect((await before.graphql('{ viewer { role } }')).status).toBe(200);
    expect(await choose(openBrowser(server.url), codeIn(link ?? ''))).toEqual([]);
    server.clock.advance(5_000);
    expect((await before.graphql('{ viewer { role } }')).status).toBe(401);
    const entries = await ledgerOf(server, server.acme, 'user', user.id);
    expect(entries.slice(-2).map(({ action }) => action)).toEqual(['issue', 'set_password']);
    expect(JSON.stringify(entries)).not.toContain(codeIn(link ?? ''));
  });

  it('does not let an administrator of one company into another', async () => {
    const { user } = await addPerson(server, { acme: 'viewer', beta: 'admin' });
    const payload = await reset(server.acme, nodeId('User', user.id));
    expect(payload).toMatchObject({ link: null, userErrors: [{ rule: 'several_companies' }] });
    const { email } = await addPerson(server, { beta: 'viewer' });
    expect(await invite(server.acme, email)).toMatchObject({ link: null, userErrors: [] });
    const other = await addPerson(server, { beta: 'viewer' });
    const foreign = await reset(server.acme, nodeId('User', other.user.id));
    expect(foreign).toMatchObject({ link: null, userErrors: [{ code: 'NOT_FOUND' }] });
  });

  it('counts wrong codes like wrong passwords', async () => {
    const { headers } = fromElsewhere();
    const browser = openBrowser(server.url, { 'sec-fetch-site': 'same-origin', ...headers });
    for (let n = 0; n < 30; n += 1) {
      expect(await choose(browser, String(n))).toEqual(['link_ended']);
    }
    const variables = { code: '30', password: CHOSEN };
    const { body } = await browser.graphql(mutationOf('passwordSetByLink'), variables);
    expect(body.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
  });

  it('needs a page of this server, and e-mails a server that sends them', async () => {
    const { code } = await invite(server.acme);
    const page = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const elsewhere = openBrowser(server.url, page);
    const variables = { code, password: CHOSEN };
    const { body } = await elsewhere.graphql(mutationOf('passwordSetByLink'), variables);
    expect(body.errors?.[0]?.extensions.code).toMatch(/UNAUTHENTICATED|FORBIDDEN/);
    expect(await rulesOf(openBrowser(server.url), 'passwordRequest', { email: 'a@b.example' })).toEqual([
      'no_mail',
    ]);
    const { email } = await addPerson(server, { acme: 'viewer' });
    const change = { email: 'new@people.example', password: 'x' };
    expect(await rulesOf(await signedIn(server.url, email), 'emailChange', change)).toEqual(['no_mail']);
  });
});

describe('e-mails', () => {
  const { server, mailbox } = useServerWithMail({
    publicUrl: 'https://gateway.example',
    trustProxy: ['loopback'],
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
      expect(await rulesOf(browser, 'passwordRequest', { email: given })).toEqual([]);
    }
    const [letter] = await mailbox.to(email);
    server.clock.advance(5 * MINUTE);
    await payloadOf(browser, 'passwordRequest', { email });
    expect(await mailbox.to(email, 2)).toHaveLength(2);
    expect(mailbox.letters.filter(({ to }) => to.startsWith('nobody'))).toEqual([]);
    expect(await choose(browser, codeIn(letter?.text ?? ''))).toEqual(['link_ended']);
    const latest = mailbox.letters.findLast(({ to }) => to === email)?.text ?? '';
    expect(await choose(browser, codeIn(latest))).toEqual([]);
  });

  it('confirm a new address, which nobody else has', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const taken = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email);
    const password = 'correct horse battery staple';
    const wanted = `moved.${email}`;
    const move = (to: string, given = password) =>
      rulesOf(browser, 'emailChange', { email: to, password: given });
    expect(await move(wanted, 'wrong password')).toEqual(['wrong_password']);
    expect(await move('nonsense')).toEqual(['email']);
    expect(await move(wanted)).toEqual([]);
    const [letter] = await mailbox.to(wanted);
    await mailbox.to(email);
    const code = codeIn(letter?.text ?? '');
    const confirm = (of: string) => payloadOf(openBrowser(server.url), 'emailConfirm', { code: of }, 'email');
    expect(await confirm(code)).toEqual({ email: wanted, userErrors: [] });
    expect((await confirm(code)).userErrors).toMatchObject([{ rule: 'link_ended' }]);
    expect(await canSignIn(server, wanted, password)).toBe(true);
    expect(await canSignIn(server, email, password)).toBe(false);
    await move(taken.email);
    const second = (await mailbox.to(taken.email)).at(-1);
    expect((await confirm(codeIn(second?.text ?? ''))).userErrors).toMatchObject([{ code: 'TAKEN' }]);
  });
});
