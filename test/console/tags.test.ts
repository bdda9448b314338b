import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { answered } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { mutated } from '../support/mutations.js';
import { addPerson } from '../support/people.js';
import type { Fields } from '../support/server.js';
import { chosen, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  const { client } = server.acme;
  const group_id = await fleet.group(client, 'Centro');
  await fleet.appVersions(client, 1, [group_id]);
  for (const n of [1, 2, 3]) {
    const logical_number_id = await fleet.logicalNumber(client, `90${n}`, { group_id });
    await fleet.device(client, `SN-${n}`, { logical_number_id });
  }
  ({ email } = await addPerson(server, { acme: 'admin' }));
});
/** Everything as before the first story. */
beforeEach(async () => {
  const { devices, logicalNumbers } = await answered<Record<string, { nodes: readonly { id: string }[] }>>(
    server.acme,
    '{ devices { nodes { id } } logicalNumbers { nodes { id } } }',
  );
  for (const { id } of devices?.nodes ?? [])
    await mutated(server.acme, 'deviceUpdate', { id, input: { tags: [], notes: null } });
  for (const { id } of logicalNumbers?.nodes ?? [])
    await mutated(server.acme, 'logicalNumberUpdate', { id, input: { tags: [], merchantName: null } });
});

const WORDS = {
  'en-US': {
    edit: 'Edit',
    save: 'Save',
    tags: 'Tags',
    notes: 'Notes',
    merchant: 'Merchant',
    address: 'Address of the merchant',
    filter: 'Filter',
    condition: 'Tags: vip',
    palette: 'Go to a page or a record',
    tagOf: 'Tags · Devices',
    numbers: 'Logical numbers',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all 3',
    changeTags: 'Change tags',
    addTags: 'Add tags',
    removeTags: 'Remove tags',
    actions: (name: string) => `Actions for ${name}`,
    setParameter: 'Set a parameter',
    key: 'Key',
    value: 'Value',
    notify: 'Notify',
    message: 'Message',
    goesTo: 'Goes to 2 logical numbers',
    send: 'Send',
    sentTo: 'Sent to 2 logical numbers',
    rollOut: 'Roll out',
    versions: 'App versions',
    toWhom: 'To whom',
    wave: 'Wave 3',
    review: 'Review and start',
    startNow: 'Start now for 2 of 2 terminals?',
    start: 'Start',
  },
  'pt-BR': {
    edit: 'Editar',
    save: 'Salvar',
    tags: 'Etiquetas',
    notes: 'Observações',
    merchant: 'Estabelecimento',
    address: 'Endereço do estabelecimento',
    filter: 'Filtrar',
    condition: 'Etiquetas: vip',
    palette: 'Ir para uma página ou um registro',
    tagOf: 'Etiquetas · Dispositivos',
    numbers: 'Números lógicos',
    select: (name: string) => `Selecionar ${name}`,
    selectAll: 'Selecionar todos os 3',
    changeTags: 'Alterar etiquetas',
    addTags: 'Adicionar etiquetas',
    removeTags: 'Remover etiquetas',
    actions: (name: string) => `Ações de ${name}`,
    setParameter: 'Definir um parâmetro',
    key: 'Chave',
    value: 'Valor',
    notify: 'Notificar',
    message: 'Mensagem',
    goesTo: 'Vai para 2 números lógicos',
    send: 'Enviar',
    sentTo: 'Enviada a 2 números lógicos',
    rollOut: 'Implantar',
    versions: 'Versões de aplicativos',
    toWhom: 'Para quem',
    wave: 'Onda 3',
    review: 'Conferir e iniciar',
    startNow: /^Iniciar agora .*2/,
    start: 'Iniciar',
  },
} as const;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row', { name });
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** Tags of the devices, or of the logical numbers, in their order. */
const tagsOf = async (list: 'devices' | 'logicalNumbers'): Promise<unknown> =>
  (
    await answered<Record<string, { nodes: readonly Fields[] }>>(
      server.acme,
      `{ ${list} { nodes { tags } } }`,
    )
  )[list]?.nodes.map(({ tags }) => tags);

it.each(WINDOWS)(
  'a device has tags and notes, by which lists and the palette find it: $name',
  async (window) => {
    const text = WORDS[window.locale];
    const page = await open('/devices', { email, ...window });
    await row(page, 'SN-1').getByText('SN-1', { exact: true }).click();
    await button(page, text.edit).click();
    await box(page, text.tags).fill('VIP, loja');
    await box(page, text.notes).fill('Ask for Ana.\nBack door.');
    await button(page, text.save).click();
    const panel = page.getByRole('complementary');
    await panel.getByText('vip', { exact: true }).waitFor();
    await panel.getByText('loja', { exact: true }).waitFor();
    await panel.getByText('Ask for Ana.').waitFor();
    await expectSound(page);
    await page.goto(new URL('/console/devices', page.url()).href);
    await row(page, 'SN-2').waitFor();
    await button(page, text.filter).click();
    await chosen(page, text.tags, 'vi', 'vip');
    await page.getByText(text.condition).waitFor();
    await row(page, 'SN-2').waitFor({ state: 'detached' });
    await row(page, 'SN-1').waitFor();
    await expectSound(page);
    await page.keyboard.press('Control+K');
    const palette = page.getByRole('dialog', { name: text.palette });
    await palette.getByRole('searchbox').fill('loj');
    await palette.getByRole('menuitem', { name: 'loja' }).getByText(text.tagOf).click();
    await palette.waitFor({ state: 'detached' });
    await row(page, 'SN-1').waitFor();
    expect(new URL(page.url()).search).toContain('loja');
  },
);

it.each(WINDOWS)('a logical number has its merchant, by which it is found: $name', async (window) => {
  const text = WORDS[window.locale];
  const page = await open('/logical-numbers', { email, ...window });
  await row(page, '902').click();
  await button(page, text.edit).click();
  await box(page, text.merchant).fill('Padaria São João');
  await box(page, text.address).fill('Rua A, 1\nSão Paulo');
  await button(page, text.save).click();
  const panel = page.getByRole('complementary');
  await panel.locator('dd').getByText('Rua A, 1').waitFor();
  await expectSound(page);
  await page.keyboard.press('Control+K');
  const palette = page.getByRole('dialog', { name: text.palette });
  await palette.getByRole('searchbox').fill('sao joao');
  await palette.getByRole('menuitem', { name: 'Padaria São João' }).getByText(text.numbers).waitFor();
});

it.each(WINDOWS)('all devices that match get tags, by a job: $name', async (window) => {
  const text = WORDS[window.locale];
  const page = await open('/devices', { email, ...window });
  await page.getByRole('checkbox', { name: text.select('SN-1') }).click();
  await button(page, text.selectAll).click();
  await button(page, text.changeTags).click();
  await box(page, text.addTags).fill('Natal');
  await page.getByText('SN-1, SN-2, SN-3').waitFor();
  await expectSound(page);
  await button(page, `${text.changeTags} (3)`).click();
  await expect.poll(() => tagsOf('devices')).toEqual([['natal'], ['natal'], ['natal']]);
});

it.each(WINDOWS)(
  'tags and parameters of logical numbers change in their list and record: $name',
  async (window) => {
    const text = WORDS[window.locale];
    const page = await open('/logical-numbers', { email, ...window });
    for (const name of ['901', '902']) await page.getByRole('checkbox', { name: text.select(name) }).click();
    await button(page, text.changeTags).click();
    await box(page, text.addTags).fill('x, y');
    await button(page, `${text.changeTags} (2)`).click();
    await expect.poll(() => tagsOf('logicalNumbers')).toEqual([['x', 'y'], ['x', 'y'], []]);
    await row(page, '903').click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: text.actions('903') }).click();
    await page.getByRole('menuitem', { name: text.setParameter }).click();
    await box(page, text.key).fill('printer');
    await box(page, text.value).fill(window.locale);
    await expectSound(page);
    await button(page, `${text.setParameter} (1)`).click();
    const query = '{ logicalNumber(number: "903") { parameters { nodes { key value } } } }';
    await expect
      .poll(async () => (await answered(server.acme, query)).logicalNumber)
      .toEqual({ parameters: { nodes: [{ key: 'printer', value: window.locale }] } });
  },
);

it.each(WINDOWS)('selected devices get a notification, and versions by a rollout: $name', async (window) => {
  const text = WORDS[window.locale];
  const page = await open('/devices', { email, ...window });
  for (const name of ['SN-1', 'SN-2']) await page.getByRole('checkbox', { name: text.select(name) }).click();
  await button(page, text.rollOut).click();
  const dialog = page.getByRole('dialog');
  await chosen(dialog, text.versions, 'posxml', /posxml/);
  expect(await dialog.getByRole('combobox', { name: text.toWhom }).count()).toBe(0);
  await dialog.getByRole('row', { name: text.wave }).waitFor();
  await expectSound(page);
  await button(page, text.review).click();
  const question = page.getByRole('dialog', { name: text.startNow });
  await question.getByRole('button', { name: text.start, exact: true }).click();
  await page.waitForURL(/rollouts.*open=/);
  await page.getByRole('complementary').waitFor();
  await page.goBack();
  await row(page, 'SN-1').waitFor();
  for (const name of ['SN-1', 'SN-2']) await page.getByRole('checkbox', { name: text.select(name) }).click();
  await button(page, text.notify).click();
  await box(page, text.message).fill('Closed on Sunday');
  await dialog.getByText(text.goesTo).waitFor();
  await expectSound(page);
  await button(page, text.send).click();
  await page.getByText(text.sentTo).waitFor();
  const query =
    '{ notifications(orderBy: { field: ID, direction: DESC }, first: 1) { nodes { summary { queued } } } }';
  expect((await answered(server.acme, query)).notifications).toEqual({
    nodes: [{ summary: { queued: 2 } }],
  });
});
