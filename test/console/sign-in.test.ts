import { expect, it } from 'vitest';

import { createSignInCode } from '../../src/domain/people/user/account-link.service.js';
import { expectSound, flawsInThemes } from '../support/browser.js';
import { addPerson, PASSWORD, WRONG } from '../support/people.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole({ graphqlAllowList: new Map() });

it.each(WINDOWS)('the sign-in page can be used by all people: $name', async ({ name: _, ...window }) => {
  const page = await open('/devices', window);
  await page.getByRole('heading', { name: window.locale === 'en-US' ? 'Sign in' : 'Entrar' }).waitFor();
  expect(await flawsInThemes(page)).toEqual([]);
});

it('nothing but documents of the console runs with an empty list of allowed ones', async () => {
  const { body } = await server.acme.graphql('{ viewer { role } }');
  expect(body.errors?.[0]?.extensions.code).toBe('PERSISTED_QUERY_NOT_IN_LIST');
});

it('people sign in with the keyboard, stay signed in, and sign out', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const page = await open('/devices');
  await page.getByLabel('E-mail').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(WRONG);
  await page.keyboard.press('Enter');
  await page.getByText('E-mail and password do not match').waitFor();
  await expectSound(page);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Devices' }).waitFor();
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('a link signs in once', async () => {
  const { user } = await addPerson(server, { acme: 'viewer' });
  const link = `/groups#sign-in=${await createSignInCode(server.app.units, user.id)}`;
  const page = await open(link);
  await page.getByRole('heading', { name: 'Groups' }).waitFor();
  expect(page.url()).toBe(`${server.url}/console/groups`);
  const second = await open(link);
  await second.getByText('This link was used before or is too old.').waitFor();
  await expectSound(second);
});
