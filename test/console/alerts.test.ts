import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { MINUTE } from '../../src/platform/clock.js';
import {
  addDevices,
  after,
  createRule,
  deleteRule,
  refuse,
  see,
  updateRule,
} from '../domain/base/alert/alerts.js';
import { changed, nodeId } from '../support/dashboard.js';
import { addPerson } from '../support/people.js';
import { expectSoundInSizes, picked, PORTUGUESE_TELEPHONE, useConsole } from './pages.js';

const { server, open } = useConsole();
let email: string;
let name: string;
beforeAll(async () => {
  const person = await addPerson(server, { acme: 'admin' });
  email = person.email;
  ({ name } = person.user);
});

const WORDS = {
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
} as const;

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });
const panel = (page: Page) => page.getByRole('complementary');
const inMenu = (page: Page) => page.locator('nav a[href$="/alerts"] .badge');

it('an alert is opened by a rule, seen, acknowledged, and closed by itself', async () => {
  const [one = 0, two = 0] = await addDevices(server.acme, ['refused 1', 'refused 2']);
  const page = await open('/alert-rules', { email, ...PORTUGUESE_TELEPHONE });
  await button(page, WORDS.newRule).click();
  const form = page.getByRole('dialog', { name: WORDS.newRule });
  await form.getByLabel(WORDS.name).fill('Refused rule');
  await picked(form, WORDS.kind, WORDS.refused);
  await form.getByLabel(WORDS.count, { exact: true }).fill('no number');
  expect(await form.getByRole('button', { name: WORDS.create }).isDisabled()).toBe(true);
  await form.getByLabel(WORDS.count, { exact: true }).fill('1');
  await expectSoundInSizes(page);
  await form.getByRole('button', { name: WORDS.create }).click();
  await panel(page).getByText('1h', { exact: true }).waitFor();
  await button(page, WORDS.edit).click();
  await panel(page).getByLabel(WORDS.count, { exact: true }).fill('2');
  await panel(page).getByLabel(WORDS.repeat).fill('12h');
  await panel(page)
    .getByRole('checkbox', { name: WORDS.mailTo(name) })
    .check();
  await button(page, WORDS.save).click();
  await panel(page).getByText('12h', { exact: true }).waitFor();
  await panel(page).getByText(WORDS.mailTo(name)).waitFor();
  await panel(page).getByText(WORDS.noMail).waitFor();

  const ruleId = new URL(page.url()).searchParams.get('open') ?? '';
  await refuse(server, [one]);
  await after(server, MINUTE);
  expect(await inMenu(page).count()).toBe(0);
  await refuse(server, [two]);
  await after(server, MINUTE);
  await expect.poll(() => inMenu(page).textContent()).toBe('1');
  await page.goto(`${server.url}/console/alerts`);
  await page.getByRole('grid').getByText(WORDS.twoRefused).click();
  const example = panel(page).getByRole('link', { name: 'refused 2' });
  const href = new URL((await example.getAttribute('href')) ?? '', server.url);
  expect([href.pathname, href.searchParams.get('filter')]).toEqual([
    '/console/devices',
    JSON.stringify({ serialNumber: { eq: 'refused 2' } }),
  ]);
  await expectSoundInSizes(page);
  await panel(page).getByRole('button', { name: WORDS.acknowledge, exact: true }).click();
  await panel(page).getByText(name).waitFor();
  await expect.poll(() => inMenu(page).count()).toBe(0);
  expect(await button(page, WORDS.acknowledge).count()).toBe(0);

  await after(server, 60 * MINUTE);
  await after(server, 6 * MINUTE);
  await panel(page).getByText(WORDS.closed).first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(WORDS.noMatch).waitFor();
  await button(page, WORDS.condition).click();
  const row = page.getByRole('row').filter({ hasText: 'Refused rule' });
  await row.getByText(WORDS.refused, { exact: true }).waitFor();
  await deleteRule(server.acme, ruleId);
});

it('a rule for silence keeps its devices, hours and days, and leads to the silent devices', async () => {
  const filter = { serialNumber: { startsWith: 'shop' } };
  const create = `mutation ($input: SavedFilterCreateInput!) {
      savedFilterCreate(input: $input) { userErrors { message } } }`;
  const saved = { name: 'Shops', kind: 'DEVICE', filter, shared: true };
  expect(await changed(server.acme, create, { input: saved })).toEqual({ userErrors: [] });
  await see(server, await addDevices(server.acme, ['shop 1', 'shop 2', 'shop 3']));

  const page = await open('/alert-rules', { email, ...PORTUGUESE_TELEPHONE });
  await button(page, WORDS.newRule).click();
  const form = page.getByRole('dialog', { name: WORDS.newRule });
  await form.getByLabel(WORDS.name).fill('Silent rule');
  await form.getByLabel(WORDS.silentFor).fill('5m');
  await form.getByLabel(WORDS.percent).fill('40');
  await picked(form, WORDS.devices, saved.name);
  const [from, to, zone] = WORDS.hours;
  await picked(form, from, '0:00');
  await picked(form, to, '24:00');
  await picked(form, zone, 'America/Sao_Paulo');
  // On all days, so that it opens whenever this runs.
  for (const day of await form.getByRole('checkbox', { name: /feira$|^Sábado$|^Domingo$/ }).all()) {
    await day.check();
  }
  await expectSoundInSizes(page);
  await form.getByRole('button', { name: WORDS.create }).click();
  await panel(page).getByText('America/Sao_Paulo').waitFor();
  await panel(page).getByText('Segunda-feira, Terça-feira').waitFor();
  await button(page, WORDS.edit).click();
  await panel(page).getByLabel(WORDS.repeat).fill('1d');
  await expectSoundInSizes(page);
  await button(page, WORDS.save).click();
  await panel(page).getByText('1d', { exact: true }).waitFor();
  for (const shown of [saved.name, '5m', '40', '0:00', '24:00', 'America/Sao_Paulo']) {
    await panel(page).getByText(shown, { exact: true }).waitFor();
  }
  await after(server, 6 * MINUTE);
  await expect.poll(() => inMenu(page).textContent()).toBe('1');
  await page.goto(`${server.url}/console/alerts`);
  await page.getByRole('grid').getByText(WORDS.threeSilent).click();
  const all = panel(page).getByRole('link', { name: WORDS.all });
  const { searchParams } = new URL((await all.getAttribute('href')) ?? '', server.url);
  expect(JSON.parse(searchParams.get('filter') ?? '')).toMatchObject({ ...filter, enabled: { eq: true } });
  const address = page.url();
  await all.click();
  await page.getByText('3 registros', { exact: true }).waitFor();
  await page.goto(address);
  await panel(page).getByRole('link', { name: 'Silent rule' }).click();
  await button(page, WORDS.delete).click();
  await page.getByRole('dialog').getByRole('button', { name: WORDS.delete }).click();
  await panel(page).waitFor({ state: 'hidden' });
  await expect.poll(() => inMenu(page).count()).toBe(0);
});

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
