import { describe, expect, it } from 'vitest';

import { getCompanyByName } from '../../src/domain/people/company/company.service.js';
import { addUser } from '../../src/domain/people/user/user.service.js';
import { SECOND } from '../../src/platform/clock.js';
import { ME, openBrowser, SIGN_IN, signedIn, type TestBrowser } from '../support/console.js';
import { answered, nodeId } from '../support/dashboard.js';
import { useServerWithMail } from '../support/mailbox.js';
import { expectRefused, mutated } from '../support/mutations.js';
import { addPerson, PASSWORD, signIn, tokensIn } from '../support/people.js';
import { COMPANIES, type Fields, SYSTEM } from '../support/server.js';

const { server, mailbox } = useServerWithMail({ publicUrl: 'https://gateway.example' });

const [ACME, BETA] = [COMPANIES.acme, COMPANIES.beta];
const acmeId = (): string => nodeId('Company', server.acme.caller.companyId);
const ask = (name: string, email: string, role = 'OPERATOR') =>
  mutated(
    server.acme,
    name,
    { input: { email, name: 'Ana, as Acme calls her', role } },
    'user { id } askedEmail',
  );

/** Companies of the tokens that a person gets, in their order. */
const companiesOf = async (email: string): Promise<string[]> =>
  tokensIn(await signIn(server, { email, password: PASSWORD })).map(({ company_name }) => company_name);

interface Mine {
  readonly viewer: {
    readonly companies: readonly { readonly company: { readonly name: string } }[];
    readonly invitations: readonly { readonly company: { readonly name: string }; readonly role: string }[];
  };
}
const MINE = '{ viewer { companies { company { name } } invitations { company { name } role } } }';
async function mineOf(browser: TestBrowser) {
  const { viewer } = await answered<Mine>(browser, MINE);
  const companies = viewer.companies.map(({ company }) => company.name);
  return { companies, asks: viewer.invitations.map(({ company, role }) => `${company.name} ${role}`) };
}
/** The company that a new session of a person begins in. */
async function beginsIn(email: string): Promise<string> {
  const { body } = await openBrowser(server.url).graphql<Record<string, { viewer: { company: Fields } }>>(
    SIGN_IN,
    {
      email,
      password: PASSWORD,
    },
  );
  return String(body.data.signIn?.viewer.company.name);
}

describe('RU-79: a person who has an account', () => {
  it.each(['memberAdd', 'memberInvite'])(
    'is asked by %s, which changes nothing for anybody',
    async (name) => {
      const { email, user } = await addPerson(server, { beta: 'viewer' });
      expect(await ask(name, email)).toEqual({ user: null, askedEmail: email });
      expect((await mailbox.to(email))[0]?.text).toContain('https://gateway.example/console');
      expect(await companiesOf(email)).toEqual([BETA]);
      expect(await beginsIn(email)).toBe(BETA);
      expect((await server.acme.client.get(`users/${user.id}`)).status).toBe(404);
      const userId = nodeId('User', user.id);
      const { link } = await mutated(server.beta, 'passwordReset', { userId, removePasskeys: true }, 'link');
      expect(link).toContain('#set-password=');
      await mutated(server.beta, 'userUnlock', { id: userId });
      const seen = await server.place.sql(`select sequence from ledger where entity_type = 'invitation'
      and company_id = ${server.beta.caller.companyId}`);
      expect(seen).toEqual([]);
    },
  );

  it('becomes a member by accepting the last question, in a session of the same person alone', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    const browser = await signedIn(server.url, email);
    await ask('memberAdd', email);
    await ask('memberInvite', email, 'VIEWER');
    expect(await mineOf(browser)).toEqual({ companies: [BETA], asks: [`${ACME} VIEWER`] });
    const other = await signedIn(server.url, (await addPerson(server, { beta: 'viewer' })).email);
    await expectRefused(other, 'invitationAccept', { id: acmeId() }, 'NOT_FOUND id');
    const { body } = await server.beta.graphql(
      `mutation { invitationAccept(id: "${acmeId()}") { userErrors { code } } }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    await mutated(browser, 'invitationAccept', { id: acmeId() });
    expect(await mineOf(browser)).toEqual({ companies: [BETA, ACME], asks: [] });
    expect((await browser.graphql(ME)).body.data).toMatchObject({ viewer: { company: { name: BETA } } });
    await expectRefused(browser, 'invitationAccept', { id: acmeId() }, 'NOT_FOUND id');
    await expectRefused(
      server.acme,
      'memberAdd',
      { input: { email, name: 'Ana', role: 'ADMIN' } },
      'TAKEN input.email',
    );
  });

  it('declines, and can be asked again', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    const browser = await signedIn(server.url, email);
    await ask('memberAdd', email);
    await mutated(browser, 'invitationDecline', { id: acmeId() });
    expect(await mineOf(browser)).toEqual({ companies: [BETA], asks: [] });
    await expectRefused(browser, 'invitationAccept', { id: acmeId() }, 'NOT_FOUND id');
    await ask('memberAdd', email);
    expect((await mineOf(browser)).asks).toEqual([`${ACME} OPERATOR`]);
  });

  it('is asked no more once the operator of the server has added it', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    await ask('memberAdd', email);
    await addPerson(server, { acme: 'viewer' }, { email });
    expect(await mineOf(await signedIn(server.url, email))).toMatchObject({ asks: [] });
  });

  it('is added at once where it is a member of no company, and could not sign in to be asked', async () => {
    const { email, user } = await addPerson(server, { beta: 'viewer' });
    await mutated(server.beta, 'memberRemove', { userId: nodeId('User', user.id) });
    expect(await ask('memberAdd', email)).toMatchObject({
      user: { id: nodeId('User', user.id) },
      askedEmail: null,
    });
    expect(await companiesOf(email)).toEqual([ACME]);
  });

  it('finds the company of the last session first, else that of the oldest membership', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    server.clock.advance(SECOND);
    await server.app.units.systemWrite(SYSTEM, async (work) => {
      const { id } = await getCompanyByName(work, ACME);
      await addUser(work, { id }, { email, name: 'Ana', role: 'viewer' }, 'no password');
    });
    expect(await companiesOf(email)).toEqual([BETA, ACME]);
    const browser = await signedIn(server.url, email);
    expect((await mineOf(browser)).companies).toEqual([BETA, ACME]);
    server.clock.advance(SECOND);
    await mutated(browser, 'companySwitch', { companyId: acmeId() });
    expect(await companiesOf(email)).toEqual([ACME, BETA]);
    await mutated(browser, 'signOut', {});
    expect(await beginsIn(email)).toBe(ACME);
  });
});

describe('an administrator', () => {
  interface Open {
    readonly invitations: readonly Fields[] | null;
  }
  const OPEN = '{ invitations { email name role isMember invitedAt expiresAt } }';
  const openOf = async (client: Parameters<typeof answered>[0], email: string) => {
    const { invitations } = await answered<Open>(client, OPEN);
    return (invitations ?? []).filter((each) => each.email === email);
  };

  it('sees who was asked and has not answered, as long as it is so, and no other company does', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    await ask('memberInvite', email);
    const [invitation, ...others] = await openOf(server.acme, email);
    expect(others).toEqual([]);
    expect(invitation).toMatchObject({
      name: 'Ana, as Acme calls her',
      role: 'OPERATOR',
      isMember: false,
      expiresAt: null,
    });
    expect(await openOf(server.beta, email)).toEqual([]);
    const browser = await signedIn(server.url, email);
    await mutated(browser, 'invitationAccept', { id: acmeId() }, 'viewer { company { name } }');
    expect(await openOf(server.acme, email)).toEqual([]);
  });

  it('withdraws a question once, and the person is not asked any more', async () => {
    const { email } = await addPerson(server, { beta: 'viewer' });
    await ask('memberInvite', email);
    await expectRefused(
      server.beta,
      'invitationWithdraw',
      { email },
      'NOT_FOUND email',
      /No such invitation/,
    );
    expect(await mutated(server.acme, 'invitationWithdraw', { email }, 'email')).toEqual({ email });
    expect(await openOf(server.acme, email)).toEqual([]);
    const browser = await signedIn(server.url, email);
    expect((await mineOf(browser)).asks).toEqual([]);
    await expectRefused(
      server.acme,
      'invitationWithdraw',
      { email },
      'NOT_FOUND email',
      /No such invitation/,
    );
  });

  it('sees new accounts with the end of their link until they have signed in', async () => {
    const email = 'new-account@example.com';
    const input = { email, name: 'Bia', role: 'VIEWER' };
    const { link } = await mutated(server.acme, 'memberInvite', { input }, 'link');
    const [invitation] = await openOf(server.acme, email);
    expect(invitation).toMatchObject({ name: 'Bia', role: 'VIEWER', isMember: true });
    const time = Date.parse(String(invitation?.expiresAt)) - Date.parse(String(invitation?.invitedAt));
    expect(time).toBe(72 * 3_600 * SECOND);
    const code = new URL(String(link)).hash.replace(/^#.*=/, '');
    await mutated(
      openBrowser(server.url),
      'passwordSetByLink',
      { code, password: PASSWORD },
      'viewer { company { name } }',
    );
    expect(await openOf(server.acme, email)).toEqual([]);
  });

  it('does not see that a member of other companies too has asked for a new password', async () => {
    const { email } = await addPerson(server, { acme: 'viewer', beta: 'viewer' });
    await mutated(openBrowser(server.url), 'passwordRequest', { email });
    expect(await openOf(server.acme, email)).toEqual([]);
  });
});
