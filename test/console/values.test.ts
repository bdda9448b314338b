import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { created, fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { chosen, useConsoleOfOtherNode } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

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
  await panel.getByText('None', { exact: true }).waitFor();
  for (const number of ['4711', '4712']) {
    await panel.getByRole('button', { name: 'Move a number here' }).click();
    await chosen(page.getByRole('dialog'), 'Logical number', number, number);
    await page.getByRole('dialog').getByRole('button', { name: 'Move a number here' }).click();
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
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await panel.getByLabel('Value').fill('new.example');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('tab', { name: 'Who gets it' }).click();
  await panel.getByRole('row', { name: '4711 new.example From the group' }).waitFor();
  await panel.getByRole('row', { name: '4712 own.example Own value' }).waitFor();
  await panel.getByRole('tab', { name: 'History' }).click();
  const change = panel.getByRole('list', { name: 'History' }).getByRole('listitem').first();
  await change.getByText('Ana Souza in the console').waitFor();
  expect(await change.locator('del').textContent()).toBe('group.example');
  expect(await change.locator('ins').textContent()).toBe('new.example');

  await change.getByRole('button', { name: 'Take back' }).click();
  await page.getByText('Undone').waitFor();
  await page.getByRole('row', { name: 'host own.example' }).click();
  await panel.getByRole('link', { name: 'Overrides the value of the group: group.example' }).click();
  await panel.getByRole('link', { name: 'Litoral' }).click();
  await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
});

it('a metacontent is created for a logical number, and changed, as JSON or as text', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  await fleet.logicalNumber(server.acme.client, '4713');
  const page = await open('/metacontents', { email });
  await page.getByRole('button', { name: 'New metacontent' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Key').fill('menu');
  await form.getByLabel('Value').fill('{"items": 5}');
  expect(await form.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
  await chosen(form, 'Logical number', '4713', '4713');
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('row', { name: 'menu {"items":5} 4713' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await panel.getByLabel('Value').fill('closed');
  await panel.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: 'menu "closed" 4713' }).waitFor();
});

it('two people edit one group: the second sees both names, and decides', async () => {
  await fleet.group(server.acme.client, 'Serra');
  const [first, second] = await Promise.all(
    ['Serra Sul', 'Serra Norte'].map(async (name) => {
      const { email } = await addPerson(server, { acme: 'operator' });
      const page = await open('/groups', { email });
      await page.getByRole('row', { name: 'Serra' }).click();
      const panel = page.getByRole('complementary');
      await panel.getByRole('button', { name: 'Edit', exact: true }).click();
      await panel.getByLabel('Name').fill(name);
      return { page, save: () => panel.getByRole('button', { name: 'Save' }).click() };
    }),
  );
  await first?.save();
  await first?.page.getByRole('heading', { name: 'Serra Sul' }).waitFor();
  await second?.save();
  const question = second?.page.getByRole('region', { name: 'Changed by somebody else meanwhile' });
  await question?.getByRole('row', { name: 'Name Serra Norte Serra Sul' }).waitFor();
  if (second) await expectSound(second.page);
  await second?.page.getByRole('button', { name: 'Save mine' }).click();
  await first?.page.getByRole('heading', { name: 'Serra Norte' }).waitFor();
  await second?.page.getByRole('button', { name: 'Undo' }).click();
  await second?.page.getByText('Undone').waitFor();
});

it('a form in Portuguese shows what is wrong beside its field', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const page = await open('/groups', { email, locale: 'pt-BR' });
  await page.getByRole('button', { name: 'Novo grupo' }).click();
  const form = page.getByRole('dialog');
  const name = form.getByRole('textbox', { name: 'Nome' });
  await name.fill('x'.repeat(256));
  await form.getByRole('button', { name: 'Criar' }).click();
  await form.getByText('Nome é longo demais. Use no máximo 255 caracteres.').waitFor();
  const described = await name.getAttribute('aria-describedby');
  const ids = described?.split(' ') ?? [];
  const notes = await Promise.all(ids.map((id) => form.locator(`[id="${id}"]`).allTextContents()));
  expect(notes.flat()).toEqual(['Nome é longo demais. Use no máximo 255 caracteres.']);
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('Litoral Sul');
  await form.getByRole('button', { name: 'Criar' }).click();
  await page.getByRole('complementary').getByRole('heading', { name: 'Litoral Sul' }).waitFor();
});
