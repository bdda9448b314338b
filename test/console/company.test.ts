import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { OWN_PAGE, signedIn } from '../support/console.js';
import { fleet } from '../support/fleet.js';
import { addPasskey } from '../support/passkeys.js';
import { addPerson } from '../support/people.js';
import { picked, useConsole } from './pages.js';

const { server, open } = useConsole();

const CHOSEN = 'a password that Bruno chose';
const LINK = 'Link for the person, to choose a password within 72 hours';

/** The link that is shown once to an administrator. */
async function linkIn(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: LINK });
  const link = await shown.getByLabel(LINK).inputValue();
  await shown.getByRole('button', { name: 'Close' }).click();
  return link;
}

/** Opens a link, and enters a password. */
async function chosenBy(page: Page, link: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
  await page.getByLabel('Password').fill(CHOSEN);
  await page.keyboard.press('Enter');
}

it('a person of another company is asked, and becomes a member by accepting', async () => {
  const admin = await addPerson(server, { acme: 'admin' });
  const person = await addPerson(server, { beta: 'viewer' });
  const page = await open('/members', { email: admin.email });
  await page.getByRole('button', { name: 'Invite member' }).click();
  const form = page.getByRole('dialog', { name: 'Invite member' });
  await form.getByLabel('Name').fill('Carla Dias');
  await form.getByLabel('E-mail').fill(person.email);
  await form.getByRole('button', { name: 'Invite member' }).click();
  await page.getByText(`${person.email} has an account`).waitFor();

  const own = await open('/groups', { email: person.email });
  const question = own.getByRole('region', { name: 'Acme' });
  await question.getByText('asks you to become a member').waitFor();
  await expectSound(own);
  await question.getByRole('button', { name: 'Become a member' }).click();
  await question.waitFor({ state: 'detached' });
  await own.getByRole('button', { name: 'Account menu' }).click();
  await own.getByRole('menuitemradio', { name: 'Acme' }).waitFor();
});

it('a person is invited, chooses a password, gets another role, another password, and is disabled', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const page = await open('/members', { email });
  await page.getByRole('button', { name: 'Invite member' }).click();
  const form = page.getByRole('dialog', { name: 'Invite member' });
  await form.getByLabel('Name').fill('Bruno Lima');
  await form.getByLabel('E-mail').fill('bruno@acme.example');
  await picked(form, 'Role', 'Viewer');
  await expectSound(page);
  await form.getByRole('button', { name: 'Invite member' }).click();
  const link = await linkIn(page);
  const row = page.getByRole('row', { name: 'Bruno Lima bruno@acme.example Viewer' });
  await row.waitFor();

  const other = await open('/groups');
  await chosenBy(other, link);
  await other.getByRole('link', { name: 'Groups' }).click();
  await other.getByText('A group is a set of logical numbers').waitFor();
  expect(await other.getByRole('button', { name: 'New group' }).count()).toBe(0);
  const late = await open('/groups');
  await chosenBy(late, link);
  await late.getByText('This link was used').waitFor();

  const act = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Bruno Lima' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Set role');
  const setRole = page.getByRole('dialog', { name: 'Set role' });
  await setRole.getByRole('button', { name: 'Set role' }).click();
  const operator = page.getByRole('row', { name: 'Bruno Lima bruno@acme.example Operator' });
  await operator.waitFor();
  await other.reload();
  await other.getByRole('button', { name: 'New group' }).waitFor();

  const bruno = await signedIn(server.url, 'bruno@acme.example', OWN_PAGE, CHOSEN);
  await addPasskey(bruno, server.url, { password: CHOSEN });
  await act('Link for a new password');
  const reset = page.getByRole('dialog', { name: 'Link for a new password' });
  await reset.getByLabel('Remove passkeys').check();
  await reset.getByRole('button', { name: 'Link for a new password' }).click();
  await chosenBy(late, await linkIn(page));
  await late.getByRole('link', { name: 'Groups' }).waitFor();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();

  await act('Disable');
  await operator.getByText('Disabled').waitFor();
  await late.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.getByRole('link', { name: 'Change history' }).click();
  await page
    .getByRole('row', { name: /Role set Member/ })
    .first()
    .click();
  const panel = page.getByRole('complementary');
  await panel.getByText('Ana Souza in the console').waitFor();
});

it.each([
  ['viewer', false],
  ['operator', true],
] as const)(
  'a %s sees nothing of what the role may not do, and the API refuses it',
  async (role, mayWrite) => {
    const { email } = await addPerson(server, { acme: role });
    const number = `number of ${role}`;
    const id = await fleet.logicalNumber(server.acme.client, number);
    await fleet.device(server.acme.client, `S-${role}`, { logical_number_id: id });
    const page = await open('/devices', { email });
    await page
      .getByRole('row', { name: `S-${role}` })
      .getByText(`S-${role}`, { exact: true })
      .click();
    await page.getByRole('complementary').getByRole('tab', { name: 'History' }).waitFor();
    expect((await page.getByRole('checkbox').count()) > 0).toBe(mayWrite);
    const names = await page.getByRole('button').allTextContents();
    const writes = names.filter((name) => /Enrol|Edit|Delete/.test(name));
    expect(writes.length > 0).toBe(mayWrite);
    for (const path of ['groups', 'apps', 'files', 'notifications', 'parameters', 'metacontents']) {
      await page.goto(`${server.url}/console/${path}`);
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      const buttons = page.getByRole('button', { name: /^(New|Upload|Send)/ });
      await expect.poll(() => buttons.count()).toBe(mayWrite ? 1 : 0);
    }
    const menu = page.getByRole('navigation');
    expect(await menu.getByRole('link', { name: /Members|Change history/ }).count()).toBe(0);
    await page.goto(`${server.url}/console/members`);
    await page.getByText('Your role does not allow this.').waitFor();
    await page.goto(`${server.url}/console/settings`);
    await page.getByText('Acme Pagamentos').first().waitFor();
    expect(await page.getByRole('button', { name: /Rename|Set time zone/ }).count()).toBe(0);
    const text = `mutation { groupCreate(input: { name: "by a ${role}" }) { group { id } userErrors { code } } }`;
    const { graphql } = await signedIn(server.url, email);
    const { body } = await graphql(text);
    expect(body.errors?.[0]?.extensions.code).toBe(mayWrite ? undefined : 'FORBIDDEN');
  },
);

it('an administrator renames the company, and sets the time zone of its terminals', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const page = await open('/settings', { email });
  await page.getByLabel('Name').fill('Acme Sul');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('banner').getByText('Acme Sul').waitFor();
  await picked(page, 'Time zone of terminals', 'America/Manaus');
  await page.getByRole('button', { name: 'Set time zone' }).click();
  await page.getByText('Saved').last().waitFor();
  await page.reload();
  const zone = page.getByRole('combobox', { name: 'Time zone of terminals' });
  await expect.poll(() => zone.inputValue()).toBe('America/Manaus');
});
