import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { expectSound, flawsInThemes } from '../support/browser.js';
import { signedIn } from '../support/console.js';
import { addPasskey } from '../support/passkeys.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { useConsoleOfLocalhost, WINDOWS } from './pages.js';

const { server, url, open } = useConsoleOfLocalhost();

/** Gives the window an authenticator that verifies its user by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
}

it('a passkey is added, named and removed; with it, people sign in alone or after the password', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const page = await open('/account', { email, permissions: ['clipboard-read', 'clipboard-write'] });
  await addAuthenticator(page);
  const passkeys = page.getByRole('region', { name: 'Passkeys' });
  const account = page.getByRole('heading', { name: 'Account', exact: true });

  await passkeys.getByRole('button', { name: 'Add passkey' }).click();
  const form = page.getByRole('dialog', { name: 'Add passkey' });
  await form.waitFor();
  await page.keyboard.type('Telephone');
  await form.getByLabel('Current password').fill('not my password');
  await page.keyboard.press('Enter');
  await form.getByText('This is not your password').waitFor();
  await expectSound(page);
  await form.getByLabel('Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Recovery codes' });
  await shown.getByRole('listitem').first().waitFor();
  const codes = await shown.getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  expect(await flawsInThemes(page)).toEqual([]);
  await shown.getByRole('button', { name: 'Copy' }).click();
  await shown.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join(' '));
  await page.keyboard.press('Escape');
  await shown.waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(codes[0]);

  await passkeys.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Office');
  await page.keyboard.press('Enter');
  await passkeys.getByRole('row', { name: 'Office' }).waitFor();

  await signOut(page);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await account.waitFor();
  await signOut(page);
  await enterPassword(page, email);
  // The button for the passkey has the focus.
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
  await page.keyboard.press('Enter');
  await account.waitFor();
  await signOut(page);
  await enterPassword(page, email);
  await page.getByLabel('Recovery code').fill('not a code');
  await page.keyboard.press('Enter');
  await page.getByText('The passkey or recovery code is wrong').waitFor();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await passkeys.getByText('Recovery codes that are left: 9').waitFor();

  await passkeys.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm with a passkey' }).click();
  await shown.getByRole('listitem').first().waitFor();
  expect(await shown.getByRole('listitem').allTextContents()).not.toContain(codes[1]);
  await page.keyboard.press('Escape');
  await passkeys.getByText('Recovery codes that are left: 10').waitFor();
  await passkeys.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm with a passkey' }).click();
  await passkeys.getByText('No passkeys.').waitFor();
  await signOut(page);
  await enterPassword(page, email);
  await account.waitFor();
});

it.each(WINDOWS)('the second step can be used by all people: $name', async ({ name: _, ...window }) => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const { codes } = await addPasskey(await signedIn(url(), email), url());
  const isEnglish = window.locale === 'en-US';
  const page = await open('/account', window);
  // The new authenticator does not have the passkey of the person.
  await addAuthenticator(page);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel(isEnglish ? 'Password' : 'Senha').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: isEnglish ? 'Use a passkey' : 'Usar chave de acesso' }).click();
  await page.getByText(isEnglish ? 'The browser used no passkey' : 'O navegador não usou').waitFor();
  expect(await flawsInThemes(page)).toEqual([]);
  await page.getByLabel(isEnglish ? 'Recovery code' : 'Código de recuperação').fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: isEnglish ? 'Passkeys' : 'Chaves de acesso' }).waitFor();
  expect(await flawsInThemes(page)).toEqual([]);
});

it('errors of the browser are told apart, and from those of the server', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const isExpected = (problem: string) => problem.includes('429');
  const page = await open('/account', { email, isExpected });
  await addAuthenticator(page);
  const fails = (name: string) =>
    page.evaluate((of) => {
      const refuse = () => Promise.reject(new DOMException('', of));
      const { credentials } = navigator as unknown as { readonly credentials: object };
      Object.assign(credentials, { create: refuse, get: refuse });
    }, name);
  const passkeys = page.getByRole('region', { name: 'Passkeys' });
  for (const [name, text] of [
    ['NotAllowedError', 'The browser made no passkey: it was cancelled'],
    ['InvalidStateError', 'has a passkey of yours already'],
    ['SecurityError', 'do not work at this address'],
    ['NotSupportedError', 'The browser could not use a passkey: NotSupportedError.'],
  ] as const) {
    await fails(name);
    await passkeys.getByRole('button', { name: 'Add passkey' }).click();
    const form = page.getByRole('dialog', { name: 'Add passkey' });
    await form.getByLabel('Name').fill('Telephone');
    await form.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await passkeys.getByRole('alert').getByText(text).waitFor();
  }

  await signOut(page);
  // Who leaves knows it: no word of a session that has ended.
  expect(await page.getByText('Your session has ended').count()).toBe(0);
  const byPasskey = page.getByRole('button', { name: 'Sign in with a passkey' });
  await fails('NotAllowedError');
  await byPasskey.click();
  await page.getByText('The browser used no passkey: it was cancelled').waitFor();
  await page.route('**/graphql', (route) => {
    const errors = [{ message: 'Too many.', extensions: { code: 'RATE_LIMITED' } }];
    return route.fulfill({ status: 429, json: { errors } });
  });
  await byPasskey.click();
  await page.getByText('Too many requests in this hour: this was not done.').waitFor();
});

it('a browser without passkeys offers none, and lets people in with a recovery code', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const { codes } = await addPasskey(await signedIn(url(), email), url());
  const page = await open('/account');
  await page.addInitScript('delete PublicKeyCredential.parseRequestOptionsFromJSON');
  await page.reload();
  await enterPassword(page, email);
  await page.getByText('Confirm that it is you').waitFor();
  expect(await page.getByRole('button', { name: /passkey/ }).count()).toBe(0);
  await page.keyboard.type(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('Recovery codes that are left: 9').waitFor();
  expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
});
