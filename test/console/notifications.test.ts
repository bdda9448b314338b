import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { newTerminal } from '../support/terminals.js';
import { httpTerminal } from '../support/waiting-terminal.js';
import { chosen, savedNumbers, useConsoleOfOtherNode, WINDOWS } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

it('a notification is sent to a group, and seen to be delivered when a terminal fetches it', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const { client } = server.acme;
  const group = await fleet.group(client, 'Litoral');
  const { token } = await newTerminal(server.acme, 'S-1');
  const terminal = httpTerminal(server.url, token);
  await newTerminal(server.acme, 'S-2');
  for (const number of ['S-1', 'S-2']) {
    await client.put(`logical_numbers/number of ${number}`, { group_id: group });
  }

  const page = await open('/notifications', { email });
  await page.getByText('A notification is a text').waitFor();
  await page.getByRole('button', { name: 'Send notification' }).click();
  const form = page.getByRole('dialog', { name: 'Send notification' });
  await form.getByLabel('Message').fill('Closed | on Sunday');
  await chosen(form, 'Group', 'Lit', 'Litoral');
  await form.getByText('Goes to 2 logical numbers').waitFor();
  await expectSound(page);
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await form.getByText('must not contain').waitFor();
  await form.getByLabel('Message').fill('Closed on Sunday');
  await page.reload();
  await page.getByRole('button', { name: 'Send notification' }).click();
  expect(await form.getByLabel('Message').inputValue()).toBe('Closed on Sunday');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sent to 2 logical numbers').waitFor();

  const panel = page.getByRole('complementary');
  await panel.getByRole('heading', { name: 'Closed on Sunday' }).waitFor();
  const deliveries = panel.getByRole('grid', { name: 'Deliveries' });
  const row = deliveries.getByRole('row', { name: 'number of S-1' });
  await row.getByText('Waiting').waitFor();
  const [message = ''] = (await terminal.get('/notifications?wait=30')).messages;
  expect(message).toContain('|SHOW_MESSAGE|Closed on Sunday');
  await row.getByText('Handed over').waitFor();
  await terminal.confirm(message.split('|')[0] ?? '');
  await row.getByText('Delivered').waitFor();
  await deliveries.getByRole('row', { name: 'number of S-2' }).getByText('Waiting').waitFor();
  await page.getByRole('row', { name: 'Closed on Sunday' }).getByText('1 / 2').waitFor();

  await panel.getByRole('button', { name: 'Cancel notification' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel notification' }).click();
  await deliveries.getByRole('row', { name: 'number of S-2' }).getByText('Cancelled').waitFor();
  await page.getByText('Cancel notification').waitFor({ state: 'detached' });
});

const UNREACHED = {
  'en-US': {
    send: 'Send notification',
    message: 'Message',
    numbers: 'Logical numbers',
    one: 'has no terminal. Nobody will get it there, unless a terminal is given this number',
    two: /U2\S+ and U3\S+ have no terminal\./,
    none: 'None of these logical numbers has a terminal.',
  },
  'pt-BR': {
    send: 'Enviar notificação',
    message: 'Mensagem',
    numbers: 'Números lógicos',
    one: 'não tem terminal. Ninguém vai recebê-la ali, a não ser que um terminal receba este número',
    two: /U2\S+ e U3\S+ não têm terminal\./,
    none: 'Nenhum destes números lógicos tem terminal.',
  },
} as const;

it.each(WINDOWS)('numbers without a terminal are named before a notification is sent: $name', async (own) => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const { client } = server.acme;
  const [one, two, three] = ['U1', 'U2', 'U3'].map((name) => `${name}-${own.locale}`);
  const id = await fleet.logicalNumber(client, one ?? '');
  await fleet.device(client, `of ${one}`, { logical_number_id: id });
  for (const number of [two, three]) await fleet.logicalNumber(client, number ?? '');
  const page = await open('/notifications', { email, ...own });
  const words = UNREACHED[own.locale];
  await page.getByRole('button', { name: words.send }).first().click();
  const form = page.getByRole('dialog', { name: words.send });
  await form.getByLabel(words.message).fill('Closed');
  const warning = form.locator('.note-warning');
  for (const [numbers, said] of [
    [`${one}, ${two}`, words.one],
    [`${one} ${two} ${three}`, words.two],
    [`${two}\n${three}`, words.none],
  ] as const) {
    await form.getByLabel(words.numbers).fill(numbers);
    await warning.getByText(said).waitFor();
  }
  await expectSound(page);
  await form.getByLabel(words.numbers).fill(one ?? '');
  await warning.waitFor({ state: 'detached' });
  await form.getByLabel(words.numbers).fill(two ?? '');
  await warning.waitFor();
  await form.locator('button[type=submit]').click();
  await form.waitFor({ state: 'detached' });
  await page
    .getByRole('complementary')
    .getByRole('row', { name: two ?? '' })
    .waitFor();
});

it('a notification is sent to the logical numbers of a saved filter', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  await savedNumbers(server, 'Coast', ['C-1', 'C-2', 'C-3']);
  const page = await open('/notifications', { email });
  await page.getByRole('button', { name: 'Send notification' }).click();
  const form = page.getByRole('dialog', { name: 'Send notification' });
  await form.getByLabel('Message').fill('Closed on Monday');
  await chosen(form, 'Saved filter', 'coa', 'Coast');
  await form.getByText('Goes to 3 logical numbers').waitFor();
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Sent to 3 logical numbers').waitFor();
});
