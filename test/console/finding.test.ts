/** Finding records: the field above a list, the palette, and a record beside its list. */
import { beforeAll, describe, expect, it } from 'vitest';

import { DAY } from '../../src/platform/clock.js';
import { createRule } from '../domain/base/alert/alerts.js';
import { createWebhook } from '../domain/base/webhook/hooks.js';
import { payment, record } from '../domain/payments/transaction/records.js';
import { expectSound } from '../support/browser.js';
import { nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { mutated } from '../support/mutations.js';
import { addPerson } from '../support/people.js';
import { newRollout, rolloutFleet } from '../support/rollouts.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email = '';
beforeAll(async () => {
  ({ email } = await addPerson(server, { acme: 'operator' }));
  for (const serialNumber of ['A-1', 'A-2', 'B-1']) await fleet.device(server.acme.client, serialNumber);
});

const WORDS = {
  English: { search: 'Search the list', found: '1 record', all: '3 records', filter: 'Filter' },
  Portuguese: { search: 'Buscar na lista', found: '1 registro', all: '3 registros', filter: 'Filtrar' },
};

it.each(WINDOWS)(
  'a list is searched by the field above it, which / reaches: $name',
  async ({ name, ...window }) => {
    const words = WORDS[name.includes('Portuguese') ? 'Portuguese' : 'English'];
    const page = await open('/devices', { email, ...window });
    await page.getByText(words.all).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('B-');
    await page.getByText(words.found, { exact: true }).waitFor();
    await expectSound(page);
    const field = page.getByRole('searchbox', { name: words.search });
    expect(await field.inputValue()).toBe('B-');
    await page.reload();
    await page.getByText(words.found, { exact: true }).waitFor();
    expect(await field.inputValue()).toBe('B-');
    await field.fill('');
    await page.getByText(words.all).waitFor();
  },
);

const PARTS = [
  ['groups', 'CENTRO', 'Lojas Centro', 'Postos'],
  ['rollouts', 'sale', 'Sale 1.1', 'Printer fonts'],
  ['notifications', 'paper', 'Paper rolls arrive on Monday', 'Closed'],
  ['alert-rules', 'BATERIA', 'Bateria fraca', 'Other'],
  ['webhooks', 'hook', 'https://erp.example/Hook', 'https://other.example/'],
] as const;

describe('a part of a text, in any case', () => {
  let admin = '';
  beforeAll(async () => {
    const { acme } = server;
    const person = await addPerson(server, { acme: 'admin' });
    admin = person.email;
    for (const name of ['Lojas Centro', 'Postos']) await fleet.group(acme.client, name);
    const own = await rolloutFleet(server, acme, 1);
    const startAt = new Date(server.clock.now().getTime() + DAY);
    for (const name of ['Sale 1.1', 'Printer fonts']) {
      await newRollout(acme, own.input({ name, waves: [{}], startAt }));
    }
    const target = { logicalNumbers: ['fleet 1'] };
    for (const content of ['Paper rolls arrive on Monday', 'Closed']) {
      await mutated(acme, 'notificationSend', { input: { content, target } });
    }
    const on = { lowBattery: { count: 1, below: 20 } };
    const recipientIds = [nodeId('User', person.user.id)];
    for (const name of ['Bateria fraca', 'Other']) {
      await createRule(acme, { name, on, repeatAfter: '1d', recipientIds });
    }
    for (const url of ['https://erp.example/Hook', 'https://other.example/'])
      await createWebhook(acme, { url });
  });

  it.each(WINDOWS)('finds names, messages and addresses: $name', async ({ name, ...window }) => {
    const words = WORDS[name.includes('Portuguese') ? 'Portuguese' : 'English'];
    const page = await open('/groups', { email: admin, ...window });
    for (const [address, typed, found, other] of PARTS) {
      await page.goto(new URL(`/console/${address}`, page.url()).href);
      await page.getByRole('row', { name: other }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type(typed);
      await page.getByRole('row', { name: other }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: found }).waitFor();
      await page.getByText(words.found, { exact: true }).waitFor();
    }
    // Jobs have no text.
    await page.goto(new URL('/console/jobs', page.url()).href);
    const filter = page.getByRole('button', { name: words.filter, exact: true });
    await filter.waitFor();
    await page.keyboard.press('/');
    await filter.and(page.locator(':focus')).waitFor();
  });
});

it('a payment is found by its NSU, authorization and the last digits of its card from every page', async () => {
  await record(server, server.acme, [
    payment({ nsu: '004711', authorizationCode: 'AB12', card: { lastDigits: '7788' } }),
    payment({ nsu: '004712', authorizationCode: 'CD34', card: { lastDigits: '9900' } }),
  ]);
  const page = await open('/groups', { email });
  await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
  for (const [text, nsu] of [
    ['004711', '004711'],
    ['CD34', '004712'],
    ['7788', '004711'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to a page or a record' }).waitFor();
    await page.keyboard.type(text);
    await page.getByRole('menuitem', { name: '· S-1 ·' }).click();
    await page.getByRole('complementary').getByText(nsu, { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
  }
});

it('the filter folds away when a record opens, and the record gets wider on demand', async () => {
  const page = await open('/devices', { email });
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const panel = page.getByRole('complementary');
  const filter = page.getByRole('group', { name: 'Filter' });
  await filter.waitFor();
  await page.getByRole('row', { name: 'A-1' }).click();
  await panel.getByRole('heading', { name: 'A-1' }).waitFor();
  await filter.waitFor({ state: 'detached' });
  const grid = page.getByRole('grid', { name: 'Devices' });
  const width = async (): Promise<number> => (await panel.boundingBox())?.width ?? 0;
  const beside = await width();
  await panel.getByRole('button', { name: 'Widen' }).click();
  expect(await width()).toBeGreaterThan(beside * 1.2);
  await grid.waitFor();
  await panel.getByRole('button', { name: 'Use the whole page' }).click();
  await grid.waitFor({ state: 'hidden' });
  await expectSound(page);
  await page.reload();
  await panel.getByRole('button', { name: 'Show beside the list' }).click();
  await grid.waitFor();
});
