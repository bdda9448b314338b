import { expect, it } from 'vitest';

import { openBrowser } from '../support/console.js';
import { changed, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { useConsoleOfOtherNode } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

it('a person works at one node, sees changes of another one, and is signed out there', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const id = nodeId('Group', await fleet.group(server.acme.client, 'before'));
  const page = await open('/groups');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'before' }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('changed here');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'changed here' }).waitFor();

  const there = openBrowser(server.url);
  const [cookie] = await page.context().cookies();
  there.cookie = `${cookie?.name}=${cookie?.value}`;
  const rename =
    'mutation ($id: ID!, $name: String!) { groupUpdate(id: $id, input: { name: $name }) { userErrors { code } } }';
  await changed(there, rename, { id, name: 'changed there' });
  await page.getByRole('heading', { name: 'changed there' }).waitFor();
  await changed(there, 'mutation { signOut { userErrors { code } } }');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('open')).toBe(id);
});
