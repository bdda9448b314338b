import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import {
  addDevices,
  after,
  createRule,
  deleteRule,
  MINUTE,
  refuse,
  see,
  updateRule,
} from '../domain/base/alert/alerts.js';
import { expectSound } from '../support/browser.js';
import { changed, nodeId } from '../support/dashboard.js';
import { addPerson } from '../support/people.js';
import { picked, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
let name: string;
beforeAll(async () => {
  const person = await addPerson(server, { acme: 'admin' });
  email = person.email;
  ({ name } = person.user);
});

const WORDS = {
  'en-US': {
    newRule: 'New rule',
    name: 'Name',
    kind: 'Kind',
    refused: 'Refused terminals',
    count: 'From',
    repeat: 'Send again after',
    create: 'Create',
    edit: 'Edit',
    save: 'Save',
    mailTo: (person: string) => `E-mail to ${person}`,
    noMail: 'This server sends no e-mail.',
    twoRefused: 'Refused terminals: 2',
    acknowledge: 'Acknowledge',
    acknowledged: 'Acknowledged',
    noMatch: 'No record matches these conditions.',
    condition: 'Remove the condition Open',
    closed: 'Closed',
    threeSilent: 'Silent terminals: 3 / 3',
    all: 'All of them',
    devices: 'Devices',
    silentFor: 'Silent for',
    percent: 'From percent',
    hours: ['From hour', 'To hour', 'Time zone'],
    delete: 'Delete',
  },
  'pt-BR': {
    newRule: 'Nova regra',
    name: 'Nome',
    kind: 'Tipo',
    refused: 'Terminais recusados',
    count: 'A partir de',
    repeat: 'Enviar de novo após',
    create: 'Criar',
    edit: 'Editar',
    save: 'Salvar',
    mailTo: (person: string) => `E-mail para ${person}`,
    noMail: 'Este servidor não envia e-mail.',
    twoRefused: 'Terminais recusados: 2',
    acknowledge: 'Reconhecer',
    acknowledged: 'Reconhecido',
    noMatch: 'Nenhum registro atende a estas condições.',
    condition: 'Remover a condição Aberto',
    closed: 'Encerrado',
    threeSilent: 'Terminais em silêncio: 3 / 3',
    all: 'Todos eles',
    devices: 'Dispositivos',
    silentFor: 'Em silêncio por',
    percent: 'A partir de %',
    hours: ['Da hora', 'Até a hora', 'Fuso horário'],
    delete: 'Excluir',
  },
} as const;

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });
const panel = (page: Page) => page.getByRole('complementary');
const inMenu = (page: Page) => page.locator('nav a[href$="/alerts"] .badge');

it.each(WINDOWS)(
  'an alert is opened by a rule, seen, acknowledged, and closed by itself: $name',
  async ({ name: _, ...window }) => {
    const words = WORDS[window.locale];
    const [one = 0, two = 0] = await addDevices(server.acme, [`${window.locale} 1`, `${window.locale} 2`]);
    const page = await open('/alert-rules', { email, ...window });
    await button(page, words.newRule).click();
    const form = page.getByRole('dialog', { name: words.newRule });
    await form.getByLabel(words.name).fill(`Refused ${window.locale}`);
    await picked(form, words.kind, words.refused);
    await form.getByLabel(words.count, { exact: true }).fill('no number');
    expect(await form.getByRole('button', { name: words.create }).isDisabled()).toBe(true);
    await form.getByLabel(words.count, { exact: true }).fill('1');
    await expectSound(page);
    await form.getByRole('button', { name: words.create }).click();
    await panel(page).getByText('1h', { exact: true }).waitFor();
    await button(page, words.edit).click();
    await panel(page).getByLabel(words.count, { exact: true }).fill('2');
    await panel(page).getByLabel(words.repeat).fill('12h');
    await panel(page)
      .getByRole('checkbox', { name: words.mailTo(name) })
      .check();
    await button(page, words.save).click();
    await panel(page).getByText('12h', { exact: true }).waitFor();
    await panel(page).getByText(words.mailTo(name)).waitFor();
    await panel(page).getByText(words.noMail).waitFor();

    const ruleId = new URL(page.url()).searchParams.get('open') ?? '';
    await refuse(server, [one]);
    await after(server, MINUTE);
    expect(await inMenu(page).count()).toBe(0);
    await refuse(server, [two]);
    await after(server, MINUTE);
    await expect.poll(() => inMenu(page).textContent()).toBe('1');
    await page.goto(`${server.url}/console/alerts`);
    await page.getByRole('grid').getByText(words.twoRefused).click();
    const example = panel(page).getByRole('link', { name: `${window.locale} 2` });
    const href = new URL((await example.getAttribute('href')) ?? '', server.url);
    expect([href.pathname, href.searchParams.get('filter')]).toEqual([
      '/console/devices',
      JSON.stringify({ serialNumber: { eq: `${window.locale} 2` } }),
    ]);
    await expectSound(page);
    await panel(page).getByRole('button', { name: words.acknowledge, exact: true }).click();
    await panel(page).getByText(name).waitFor();
    await expect.poll(() => inMenu(page).count()).toBe(0);
    expect(await button(page, words.acknowledge).count()).toBe(0);

    await after(server, 60 * MINUTE);
    await after(server, 6 * MINUTE);
    await panel(page).getByText(words.closed).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(words.noMatch).waitFor();
    await button(page, words.condition).click();
    const row = page.getByRole('row').filter({ hasText: `Refused ${window.locale}` });
    await row.getByText(words.refused, { exact: true }).waitFor();
    await deleteRule(server.acme, ruleId);
  },
);

it.each(WINDOWS)(
  'a rule for silence keeps its devices and hours, and leads to the silent devices: $name',
  async ({ name: _, ...window }) => {
    const words = WORDS[window.locale];
    const filter = { serialNumber: { startsWith: `shop ${window.locale}` } };
    const create = `mutation ($input: SavedFilterCreateInput!) {
      savedFilterCreate(input: $input) { userErrors { message } } }`;
    const saved = { name: `Shops ${window.locale}`, kind: 'DEVICE', filter, shared: true };
    expect(await changed(server.acme, create, { input: saved })).toEqual({ userErrors: [] });
    await see(
      server,
      await addDevices(
        server.acme,
        [1, 2, 3].map((n) => `shop ${window.locale} ${n}`),
      ),
    );

    const page = await open('/alert-rules', { email, ...window });
    await button(page, words.newRule).click();
    const form = page.getByRole('dialog', { name: words.newRule });
    await form.getByLabel(words.name).fill(`Silent ${window.locale}`);
    await form.getByLabel(words.silentFor).fill('5m');
    await form.getByLabel(words.percent).fill('40');
    await picked(form, words.devices, saved.name);
    const [from, to, zone] = words.hours;
    await picked(form, from, '0:00');
    await picked(form, to, '24:00');
    await picked(form, zone, 'America/Sao_Paulo');
    await expectSound(page);
    await form.getByRole('button', { name: words.create }).click();
    await panel(page).getByText('America/Sao_Paulo').waitFor();
    await button(page, words.edit).click();
    await panel(page).getByLabel(words.repeat).fill('1d');
    await expectSound(page);
    await button(page, words.save).click();
    await panel(page).getByText('1d', { exact: true }).waitFor();
    for (const shown of [saved.name, '5m', '40', '0:00', '24:00', 'America/Sao_Paulo']) {
      await panel(page).getByText(shown, { exact: true }).waitFor();
    }
    await after(server, 6 * MINUTE);
    await expect.poll(() => inMenu(page).textContent()).toBe('1');
    await page.goto(`${server.url}/console/alerts`);
    await page.getByRole('grid').getByText(words.threeSilent).click();
    const all = panel(page).getByRole('link', { name: words.all });
    const { searchParams } = new URL((await all.getAttribute('href')) ?? '', server.url);
    expect(JSON.parse(searchParams.get('filter') ?? '')).toMatchObject({ ...filter, enabled: { eq: true } });
    await panel(page)
      .getByRole('link', { name: `Silent ${window.locale}` })
      .click();
    await button(page, words.delete).click();
    await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
    await panel(page).waitFor({ state: 'hidden' });
    await expect.poll(() => inMenu(page).count()).toBe(0);
  },
);

it('an operator changes a rule, and keeps whom it is sent to and a filter that the console cannot show', async () => {
  const { user } = await addPerson(server, { acme: 'viewer' });
  const filter = { or: [{ model: { eq: 'Z8' } }, { model: { eq: 'Z9' } }] };
  const on = { silent: { percent: 20, silentFor: '1h', filter } };
  const recipientIds = [nodeId('User', user.id)];
  const rule = await createRule(server.acme, { name: 'Kept', on, recipientIds, repeatAfter: '12h' });
  const operator = await addPerson(server, { acme: 'operator' });
  const page = await open(`/alert-rules?open=${rule.id}`, { email: operator.email });
  await panel(page).getByText('"eq": "Z9"').waitFor();
  await button(page, 'Edit').click();
  await panel(page).getByLabel('From percent').fill('30');
  expect(await panel(page).getByRole('checkbox').count()).toBe(0);
  await button(page, 'Save').click();
  await panel(page).getByText('30', { exact: true }).waitFor();
  const { alertRule } = await updateRule(server.acme, rule.id, {});
  expect(alertRule).toMatchObject({
    on: { silent: { percent: 30, filter } },
    recipientIds,
    repeatAfter: '12h',
  });
});
