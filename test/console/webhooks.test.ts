import { expect, it } from 'vitest';

import { useReceiver } from '../domain/base/webhook/receiver.js';
import { expectSound } from '../support/browser.js';
import { addPerson } from '../support/people.js';
import { waitFor } from '../support/wait-for.js';
import { picked, useConsole } from './pages.js';

const { server, open } = useConsole({ webhookNetworks: ['127.0.0.1'] }, { background: true });
const receiver = useReceiver();

it('a webhook is created with a secret, tested, sent again, given another secret, changed and deleted', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const page = await open('/webhooks', { email });
  await page.getByRole('button', { name: 'New webhook' }).click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByLabel('Address').fill('https://169.254.169.254/');
  await form.getByLabel('Events').fill('group.*');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Address is not public').waitFor();
  await form.getByLabel('Address').fill(receiver.url);
  await expectSound(page);
  await form.getByRole('button', { name: 'Create' }).click();

  const secretOf = async (): Promise<string> => {
    const shown = page.getByRole('dialog', { name: 'Secret', exact: true });
    const secret = await shown.getByLabel('Secret').inputValue();
    await shown.getByRole('button', { name: 'Close' }).click();
    return secret;
  };
  const first = await secretOf();
  expect(first).toMatch(/^whsec_/);
  await server.acme.client.post('groups', { name: 'North' });
  await waitFor(() => expect(receiver.types()).toEqual(['group.create']));

  const act = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Send a test');
  await page.getByText('The test was taken').waitFor();
  expect(receiver.types()).toEqual(['group.create', 'webhook.test']);
  receiver.respond = (response) => void response.writeHead(500).end();
  await act('Send a test');
  await page.getByText('The response was 500.').waitFor();
  receiver.respond = (response) => void response.writeHead(204).end();

  await act('Send again');
  const replay = page.getByRole('dialog', { name: 'Send again' });
  await replay.getByLabel('From entry').fill('1');
  await replay.getByRole('button', { name: 'Send again' }).click();
  await waitFor(() => expect(receiver.types().filter((type) => type === 'group.create')).toHaveLength(2));

  await act('New secret');
  const rotate = page.getByRole('dialog', { name: 'New secret' });
  await picked(rotate, 'Sign with the old secret too for', '1 hour');
  await rotate.getByRole('button', { name: 'New secret' }).click();
  expect(await secretOf()).not.toBe(first);

  await page.getByRole('row', { name: receiver.url }).click();
  const panel = page.getByRole('complementary');
  // The record is loaded again after the new secret.
  await panel.locator('.fact').filter({ hasText: 'Old secret until' }).locator('time').waitFor();
  await panel.getByText('group.*', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await panel.getByText('Enabled', { exact: true }).click();
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Disabled').waitFor();
  await expectSound(page);
  await panel.getByRole('button', { name: 'Delete' }).click();
  await page
    .getByRole('dialog', { name: /^Delete/ })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByText('A webhook tells a program').waitFor();
});
