import { expect, it } from 'vitest';

import { created, fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { chosen, useConsole } from './pages.js';

const { server, open } = useConsole();

it('a group is made, gets a number and a version, and a value for its numbers, of which one has its own', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const { client } = server.acme;
  const own = { number: '4712', key: 'host', value: 'own.example' };
  for (const number of ['4711', '4712']) await fleet.logicalNumber(client, number);
  await created(client, 'parameters', 'parameter', own);
  await fleet.appVersions(client, 1, []);

  const page = await open('/groups', { email });
  await page.getByRole('button', { name: 'New group' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Litoral');
  await form.getByRole('button', { name: 'Create' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('No logical numbers in this group.').waitFor();
  for (const number of ['4711', '4712']) {
    await chosen(panel, 'Move a logical number here', number, number);
    await panel.getByRole('row', { name: number }).waitFor();
  }
  await panel.getByRole('tab', { name: 'App versions' }).click();
  await chosen(panel, 'Attach', 'name', /^name .+ name/);
  await panel.getByRole('button', { name: 'Remove' }).waitFor();
  await page.getByRole('row', { name: /^Litoral 2 1 0/ }).waitFor();

  await panel.getByRole('tab', { name: 'Parameters' }).click();
  await panel.getByRole('button', { name: 'New parameter' }).click();
  await form.getByLabel('Key').fill('host');
  await form.getByLabel('Value').fill('group.example');
  await form.getByRole('button', { name: 'Create' }).click();
  await panel.getByRole('link', { name: 'host' }).click();

  await page.getByRole('heading', { name: 'Parameters', level: 1 }).waitFor();
  await panel.getByRole('button', { name: 'Edit' }).click();
  await panel.getByLabel('Value').fill('new.example');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('tab', { name: 'Who gets it' }).click();
  await panel.getByRole('row', { name: '4711 new.example From the group' }).waitFor();
  await panel.getByRole('row', { name: '4712 own.example Own value' }).waitFor();
  await panel.getByRole('tab', { name: 'History' }).click();
  const [change] = await panel.getByRole('list', { name: 'History' }).getByRole('listitem').all();
  await change?.getByText('Ana Souza in the console').waitFor();
  expect(await change?.locator('del').textContent()).toBe('group.example');
  expect(await change?.locator('ins').textContent()).toBe('new.example');

  await page.getByRole('row', { name: 'host own.example' }).click();
  await panel.getByRole('link', { name: 'Overrides the value of the group: new.example' }).click();
  await panel.getByRole('link', { name: 'Litoral' }).click();
  await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
});
