import { describe, expect, it } from 'vitest';

import type { SystemWriteWork } from '../../src/database/work.js';
import { getCompanyByName } from '../../src/domain/people/company/company.service.js';
import { createSignInCode } from '../../src/domain/people/user/account-link.service.js';
import type { User } from '../../src/domain/people/user/user.model.js';
import * as users from '../../src/domain/people/user/user.service.js';
import { openBrowser, OWN_PAGE, signedIn, type TestBrowser } from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { codeIn, useServerWithMail } from '../support/mailbox.js';
import { mutated } from '../support/mutations.js';
import { OPTIONS, payloadOf } from '../support/passkeys.js';
import { addPerson, fromElsewhere, PASSWORD } from '../support/people.js';
import { COMPANIES, SYSTEM } from '../support/server.js';

const CHOSEN = 'a password that I chose';

const { server, mailbox } = useServerWithMail({ trustProxy: ['loopback'] });

/** A browser in a network from which nobody has failed to sign in. */
const anyBrowser = (): TestBrowser => openBrowser(server.url, { ...OWN_PAGE, ...fromElsewhere().headers });

/** A person who has an open code of each kind, but those that only begin a sign-in. */
async function personWithCodes() {
  const { user, email } = await addPerson(server, { acme: 'viewer' });
  const browser = await signedIn(server.url, email);
  await payloadOf(browser, OPTIONS, { confirmation: { password: PASSWORD } });
  await payloadOf(browser, OPTIONS);
  const signIn = await createSignInCode(server.app.units, user.id);
  const address = `new.${email}`;
  await mutated(browser, 'emailChange', { email: address, password: PASSWORD });
  const userId = nodeId('User', user.id);
  const { link } = await mutated<{ readonly link: string }>(server.acme, 'passwordReset', { userId }, 'link');
  const [letter] = await mailbox.to(address);
  return {
    user,
    userId,
    email,
    browser,
    signIn,
    password: codeIn(link),
    confirm: codeIn(letter?.text ?? ''),
  };
}
type Person = Awaited<ReturnType<typeof personWithCodes>>;

const codesOf = ({ user }: Pick<Person, 'user'>) =>
  server.place.sql<{ kind: string }>(
    `select kind from one_time_codes where user_id = ${user.id} order by kind`,
  );

const system = async (use: (work: SystemWriteWork) => Promise<unknown>): Promise<void> =>
  void (await server.app.units.systemWrite(SYSTEM, use));

const member = (person: Person, name: string) => mutated(server.acme, name, { id: person.userId });

const ofOperator = (change: (work: SystemWriteWork, user: User) => Promise<unknown>) => (person: Person) =>
  system((work) => change(work, person.user));

const EVENTS: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  'the owner changes the password': ({ browser }) =>
    mutated(browser, 'passwordChange', { current: PASSWORD, new: CHOSEN }),
  'a link sets the password': ({ password }) =>
    mutated(anyBrowser(), 'passwordSetByLink', { code: password, password: CHOSEN }),
  'a link confirms another address': ({ confirm }) =>
    mutated(anyBrowser(), 'emailConfirm', { code: confirm }),
  'the operator sets the password': ofOperator((work, user) => users.setPassword(work, user, 'a hash')),
  'the operator disables the account': ofOperator(users.disableUser),
  'the operator enables the account again': ofOperator(async (work, user) => {
    await users.disableUser(work, user);
    await users.enableUser(work, user);
  }),
  'the only company disables the member and enables it again': async (person) => {
    await member(person, 'userDisable');
    await member(person, 'userEnable');
  },
  'another company adds the person': ({ email }) =>
    system(async (work) => {
      const beta = await getCompanyByName(work, COMPANIES.beta);
      await users.addUser(work, beta, { email, name: 'Ana', role: 'viewer' }, 'no password');
    }),
};

describe('RU-78: an open code of an account', () => {
  it.each(Object.keys(EVENTS))('ends when %s', async (name) => {
    const person = await personWithCodes();
    expect((await codesOf(person)).map(({ kind }) => kind)).toEqual([
      'create',
      'email',
      'get',
      'password',
      'sign_in',
    ]);
    await EVENTS[name]?.(person);
    const browser = anyBrowser();
    const refusal = async (of: TestBrowser, mutation: string) =>
      (await payloadOf(of, `mutation { ${mutation} { userErrors { rule } } }`)).userErrors;
    const ended = [{ rule: 'link_ended' }];
    const { confirm, password, signIn } = person;
    const set = `passwordSetByLink(code: "${password}", password: "${CHOSEN} again")`;
    expect(await refusal(browser, `emailConfirm(code: "${confirm}")`)).toEqual(ended);
    expect(await refusal(browser, set)).toEqual(ended);
    expect(await refusal(openBrowser(server.url), `signInByLink(code: "${signIn}")`)).toEqual(ended);
    expect(await codesOf(person)).toEqual([]);
  });

  it('stays when the account is renamed or unlocked', async () => {
    const person = await personWithCodes();
    await member(person, 'userUnlock');
    await system((work) => users.updateAccount(work, person.user, { name: 'Ana Lima' }));
    expect(await codesOf(person)).toHaveLength(5);
  });
});
