import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { randomToken } from '../../src/domain/people/access-token/access-token.model.js';
import { saveCodes } from '../../src/domain/people/user/one-time-code.repository.js';
import { expectSound } from '../support/browser.js';
import { createClient } from '../support/client.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { SYSTEM } from '../support/server.js';
import { picked, useConsoleOfOtherNode } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

/** The token that is shown once, read as a person copies it. */
async function copiedToken(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Token', exact: true });
  await shown.getByRole('button', { name: 'Copy' }).click();
  await shown.getByRole('button', { name: 'Copied' }).waitFor();
  const token = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(token).toBe(await shown.getByLabel('Token', { exact: true }).inputValue());
  await page.keyboard.press('Escape');
  await shown.waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(token);
  return token;
}

const createGroup = async (token: string, name: string): Promise<number> =>
  (await createClient(server.url, token).post('groups', { name })).status;

it('a token is generated, shown once, renewed, renamed and revoked', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const page = await open('/account', { email, permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('button', { name: 'Generate token' }).click();
  const form = page.getByRole('dialog', { name: 'Generate token' });
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Name must not be empty.').waitFor();
  await expectSound(page);
  await form.getByLabel('Name').fill('Back office');
  await form.getByLabel('Change').check();
  await form.getByLabel('Deliver transactions').check();
  await form.getByRole('button', { name: 'Create' }).click();
  const first = await copiedToken(page);
  expect(await createGroup(first, 'by the first token')).toBe(201);

  const row = page.getByRole('row', { name: 'Back office' });
  await row.getByRole('button', { name: 'Renew' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
  const second = await copiedToken(page);
  expect(await createGroup(first, 'by the old token')).toBe(401);
  expect(await createGroup(second, 'by the new token')).toBe(201);
  await page.getByRole('row', { name: `…${second.slice(-4)}` }).waitFor();

  await row.getByRole('button', { name: 'Renew' }).last().click();
  await picked(page.getByRole('dialog'), 'Keep the old token for', '24 hours');
  await expectSound(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
  const third = await copiedToken(page);
  expect(await createGroup(second, 'by the kept token')).toBe(201);
  expect(await createGroup(third, 'by the third token')).toBe(201);
  const old = page.getByRole('row', { name: `…${second.slice(-4)}` }).filter({ hasText: 'Replaced by' });
  await old.getByText(`Replaced by …${third.slice(-4)}`).waitFor();
  expect(await old.getByRole('button', { name: 'Renew' }).count()).toBe(0);

  await row.getByRole('button', { name: 'Rename' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('row', { name: 'Shop' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: 'Shop' }).getByText('Revoked').waitFor();
  expect(await createGroup(third, 'by a revoked token')).toBe(401);
  expect(await createGroup(second, 'by its old token')).toBe(401);
});

it('a session is ended from another one, and a new password ends all others', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const userAgent = 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0';
  const other = await open('/devices', { email, userAgent });
  await other.getByRole('heading', { name: 'Devices' }).waitFor();
  const page = await open('/account', { email });
  await page.getByRole('row', { name: 'Firefox, Windows' }).getByRole('button', { name: 'End' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByRole('row', { name: 'Firefox, Windows' }).waitFor({ state: 'detached' });
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();

  const third = await open('/devices', { email });
  await third.getByRole('heading', { name: 'Devices' }).waitFor();
  const changed = 'a longer way to Itajaí';
  await page.getByLabel('Current password').first().fill(PASSWORD);
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('New password is too short. Use at least 12 characters.').waitFor();
  await page.getByLabel('New password').fill(changed);
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('The password is changed.').waitFor();
  await third.getByRole('heading', { name: 'Sign in' }).waitFor();
  await third.getByLabel('E-mail').fill(email);
  await third.getByLabel('Password').fill(changed);
  await third.keyboard.press('Enter');
  await third.getByRole('heading', { name: 'Devices' }).waitFor();
});

it('company, language and theme are changed in the menu of the account', async () => {
  const { email } = await addPerson(server, { acme: 'operator', beta: 'viewer' });
  const page = await open('/groups', { email, colorScheme: 'light' });
  const choose = async (role: 'menuitem' | 'menuitemradio', name: string): Promise<void> => {
    await page.getByRole('button', { name: /Account menu|Menu da conta/ }).click();
    await page.getByRole(role, { name }).click();
  };
  await page.getByRole('button', { name: 'New group' }).waitFor();
  await choose('menuitemradio', 'Beta Cards');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Groups', exact: true }).click();
  await page.getByText('A group is a set of logical numbers').waitFor();
  expect(await page.getByRole('button', { name: 'New group' }).count()).toBe(0);

  await page.keyboard.press('Escape');
  await choose('menuitemradio', 'Dark');
  await page.keyboard.press('Escape');
  await choose('menuitem', 'Português (Brasil)');
  await page.getByRole('heading', { name: 'Grupos' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Grupos' }).waitFor();
  const html = page.locator('html');
  expect([await html.getAttribute('lang'), await html.getAttribute('data-theme')]).toEqual(['pt-BR', 'dark']);
});

/** The codes of a person in the database that were not used. */
const openCodes = (userId: number) =>
  server.place.sql(`select kind from one_time_codes where user_id = ${userId}`);
const button = (page: Page, name: string) => page.getByRole('button', { name });

it.each(['signed out', 'signed in'])(
  'a link of an e-mail asks before it uses its code: %s',
  async (state) => {
    const owner = await addPerson(server, { acme: 'viewer' });
    const { email } = await addPerson(server, { acme: 'viewer' });
    const wanted = `new-${state.replace(' ', '-')}@people.example`;
    const confirming = await linkOf(owner.user.id, 'email', wanted);
    const window = state === 'signed in' ? { email } : {};
    const page = await open(`/groups#confirm-email=${confirming}`, window);
    await button(page, 'Confirm the e-mail address').waitFor();
    // To load the page uses nothing up, as programs do that look through e-mails.
    await page.reload();
    await button(page, 'Confirm the e-mail address').waitFor();
    expect(await openCodes(owner.user.id)).toEqual([{ kind: 'email' }]);
    await expectSound(page);
    await button(page, 'Confirm the e-mail address').click();
    await page.getByText(`This is your address now: ${wanted}`).waitFor();
    expect(await openCodes(owner.user.id)).toEqual([]);
    expect(page.url()).not.toContain('#');
    if (state === 'signed in') {
      await button(page, 'Go on as Ana Souza').click();
      await page.getByRole('heading', { name: 'Groups' }).waitFor();
    }

    // Also in a tab that is open already.
    const setting = await linkOf(owner.user.id, 'password', null);
    await page.evaluate(`location.hash = '#set-password=${setting}'`);
    await page.getByLabel('Password').fill('another good password');
    await button(page, 'Sign in').first().click();
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    await page.goto(new URL('/console/account', page.url()).href);
    await page.getByText(wanted).waitFor();
  },
);

/** The code of a link, as e-mails have it. */
async function linkOf(userId: number, kind: 'email' | 'password', email: string | null): Promise<string> {
  const code = randomToken();
  await server.app.units.systemWrite(SYSTEM, (work) => saveCodes(work, { kind, userId, email }, [code]));
  return code;
}
