import { describe, expect, it } from 'vitest';

import { createSignInCode } from '../../src/domain/people/user/account-link.service.js';
import { openBrowser, type TestBrowser } from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { codeIn, useServerWithMail } from '../support/mailbox.js';
import { mutated, mutationOf } from '../support/mutations.js';
import { schema } from '../support/parity/rest-spelling.js';
import {
  Authenticator,
  CONFIRMED,
  OPTIONS,
  optionsOf,
  payloadOf,
  personWithPasskey,
} from '../support/passkeys.js';
import { PASSWORD } from '../support/people.js';
import { type Fields } from '../support/server.js';
import { tokenTools } from '../support/tokens.js';

const CHOSEN = 'a password that I chose';

const { server, mailbox } = useServerWithMail();

type Company = 'acme' | 'beta';
const OTHER = { acme: 'beta', beta: 'acme' } as const;
const companyId = (company: Company): string => nodeId('Company', server[company].caller.companyId);

/** A person of both companies with a passkey and a token, whose session is in one of them. */
async function personIn(company: Company) {
  const { user, ...person } = await personWithPasskey(server, { acme: 'operator', beta: 'operator' });
  const of = { userId: user.id, companyId: server[company].caller.companyId };
  const member = { ...server[company], caller: { ...server[company].caller, ...of } };
  const token = nodeId('ApiToken', (await tokenTools(server, 'id').tokenOf(member, ['read'])).id);
  await person.browser.graphql(mutationOf('companySwitch'), { companyId: companyId(company) });
  return { ...person, user, token, userId: nodeId('User', user.id), company };
}
type Person = Awaited<ReturnType<typeof personIn>>;

/** By whom a mutation is run, with which arguments, and the rules by which it is refused. */
interface Case {
  readonly by: 'admin' | 'person' | 'nobody';
  readonly given: (person: Person) => Fields | Promise<Fields>;
  readonly rules?: readonly string[];
  /** Action that both companies find in their ledgers, since the account is changed for both. */
  readonly inBoth?: string;
}

const session = async ({ browser }: Person): Promise<string> => {
  const { body } = await browser.graphql<{ viewer: { session: { id: string } } }>(
    '{ viewer { session { id } } }',
  );
  return body.data.viewer.session.id;
};
const linkIn = async (address: string, count = 1): Promise<string> =>
  codeIn((await mailbox.to(address, count)).at(-1)?.text ?? '');
const ask = async (browser: TestBrowser, name: string, variables: Fields) =>
  await payloadOf(browser, mutationOf(name, 'userErrors { code rule path message }'), variables);
const member = ({ email }: Person): Fields => ({ input: { email, name: 'Ana', role: 'VIEWER' } });

/** The other company removes the person, and asks anew. */
async function asked(person: Person): Promise<Fields> {
  const other = OTHER[person.company];
  await mutated(server[other], 'memberRemove', { userId: person.userId });
  await mutated(server[other], 'memberAdd', member(person));
  return { id: companyId(other) };
}

const CASES: Readonly<Record<string, Case>> = {
  apiTokenCreate: { by: 'person', given: () => ({ input: { name: 'own', scopes: ['READ'] } }) },
  apiTokenRenew: { by: 'admin', given: ({ token }) => ({ id: token }) },
  apiTokenRevoke: { by: 'admin', given: ({ token }) => ({ id: token }) },
  apiTokenUpdate: { by: 'admin', given: ({ token }) => ({ id: token, input: { name: 'renamed' } }) },
  companyRename: {
    by: 'admin',
    given: ({ company }) => ({ name: company === 'acme' ? 'Acme Pagamentos' : 'Beta Cards' }),
  },
  companySetResponseText: { by: 'admin', given: () => ({ code: 'B1', text: 'Call the helpdesk' }) },
  companySetCurrency: { by: 'admin', given: () => ({ currency: 'BRL' }) },
  companySetTimeZone: { by: 'admin', given: () => ({ timeZone: 'America/Sao_Paulo' }) },
  companySwitch: { by: 'person', given: ({ company }) => ({ companyId: companyId(OTHER[company]) }) },
  emailChange: {
    by: 'person',
    given: ({ email }) => ({ email: `new.${email}`, password: PASSWORD }),
    inBoth: 'issue',
  },
  emailConfirm: {
    by: 'nobody',
    given: async ({ browser, email }) => {
      await ask(browser, 'emailChange', { email: `moved.${email}`, password: PASSWORD });
      return { code: await linkIn(`moved.${email}`) };
    },
    inBoth: 'update',
  },
  invitationAccept: { by: 'person', given: asked },
  invitationDecline: { by: 'person', given: asked },
  invitationWithdraw: { by: 'admin', given: ({ email }) => ({ email }), rules: ['not_found'] },
  memberAdd: { by: 'admin', given: member, rules: ['taken'] },
  memberInvite: { by: 'admin', given: member, rules: ['taken'] },
  memberRemove: { by: 'admin', given: ({ userId }) => ({ userId }) },
  memberSetRole: { by: 'admin', given: ({ userId }) => ({ userId, role: 'VIEWER' }) },
  passkeyAdd: {
    by: 'person',
    given: async ({ browser }) => {
      const { options } = await payloadOf(browser, OPTIONS, CONFIRMED);
      return { name: 'Second', passkey: new Authenticator(server.url).create(options) };
    },
    inBoth: 'create',
  },
  passkeyOptions: { by: 'person', given: () => CONFIRMED },
  passkeyRemove: { by: 'person', given: ({ id }) => ({ id, ...CONFIRMED }), inBoth: 'delete' },
  passkeyRename: { by: 'person', given: ({ id }) => ({ id, name: 'Renamed' }), inBoth: 'update' },
  passwordChange: {
    by: 'person',
    given: () => ({ current: PASSWORD, new: CHOSEN }),
    inBoth: 'set_password',
  },
  passwordRequest: { by: 'nobody', given: ({ email }) => ({ email }) },
  passwordReset: { by: 'admin', given: ({ userId }) => ({ userId, removePasskeys: false }), inBoth: 'issue' },
  passwordSetByLink: {
    by: 'nobody',
    given: async ({ email, userId, company }) => {
      await server[company].graphql(mutationOf('passwordReset'), { userId });
      return { code: await linkIn(email), password: CHOSEN };
    },
    inBoth: 'set_password',
  },
  preferencesSet: { by: 'person', given: () => ({ preferences: { a: 1 } }) },
  recoveryCodesRenew: { by: 'person', given: () => CONFIRMED, inBoth: 'update' },
  sessionEnd: { by: 'person', given: async (person) => ({ id: await session(person) }) },
  signIn: {
    by: 'nobody',
    given: ({ email, codes }) => ({ email, password: PASSWORD, secondFactor: { recoveryCode: codes[0] } }),
    inBoth: 'sign_in',
  },
  signInByLink: {
    by: 'nobody',
    given: async ({ user }) => ({ code: await createSignInCode(server.app.units, user.id) }),
    inBoth: 'sign_in',
  },
  signInByPasskey: {
    by: 'nobody',
    given: async ({ authenticator }) => ({
      passkey: authenticator.get(await optionsOf(openBrowser(server.url))),
    }),
    inBoth: 'sign_in',
  },
  signOut: { by: 'person', given: () => ({}) },
  userDisable: { by: 'admin', given: ({ userId }) => ({ id: userId }) },
  userEnable: { by: 'admin', given: ({ userId }) => ({ id: userId }) },
  userUnlock: { by: 'admin', given: ({ userId }) => ({ id: userId }), rules: ['other_companies'] },
  userUpdate: { by: 'admin', given: ({ userId }) => ({ id: userId, input: { name: 'Ana Lima' } }) },
};

const ABOUT_PEOPLE =
  /^(apiToken|company|email|invitation|member|passkey|password|preferences|recoveryCodes|session|sign|user)[A-Z]?/;

/** Actions on the account and its passkeys in the ledger of a company, after its creation, which one of both has. */
async function actionsIn(company: Company, { user }: Person): Promise<string[]> {
  const rows = await server.place.sql<{ action: string }>(
    `select action from ledger where company_id = $1 and entity_id = $2
      and entity_type in ('user', 'passkey', 'sign_in')
      and not (entity_type = 'user' and action = 'create') order by sequence`,
    [server[company].caller.companyId, user.id],
  );
  return rows.map(({ action }) => action);
}

describe('RU-80: of a person of two companies', () => {
  it('every mutation about people has a case', () => {
    const names = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect(Object.keys(CASES).toSorted()).toEqual(names.filter((name) => ABOUT_PEOPLE.test(name)).toSorted());
  });

  const each = Object.entries(CASES).flatMap(([name, of]) =>
    (['acme', 'beta'] as const).map((company) => [name, company, of] as const),
  );
  it.each(each)('%s in %s does what it says, for both companies alike', async (name, company, of) => {
    const { by, given, rules = [], inBoth } = of;
    const person = await personIn(company);
    const callers = { admin: server[company], person: person.browser, nobody: openBrowser(server.url) };
    const variables = await given(person);
    const query = mutationOf(name, 'userErrors { code rule path message }');
    const { body } = await callers[by].graphql<Record<string, { userErrors: { rule: string }[] }>>(
      query,
      variables,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data[name]?.userErrors.map(({ rule }) => rule)).toEqual(rules);
    const actions = [await actionsIn('acme', person), await actionsIn('beta', person)] as const;
    if (name !== 'memberRemove') expect(actions[0]).toEqual(actions[1]);
    if (inBoth !== undefined) expect(actions.map((all) => all.at(-1))).toEqual([inBoth, inBoth]);
  });
});
