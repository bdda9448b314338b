import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { takeJobStep } from '../../src/domain/base/job/job.service.js';
import { expectSound } from '../support/browser.js';
import { changed } from '../support/dashboard.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { carrying } from '../support/uploading.js';
import { chosen, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await server.app.steps.stop();
  ({ email } = await addPerson(server, { acme: 'operator' }));
});

const step = () => takeJobStep(server.app.units, 0, 'secret');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const cell = (page: Page, text: string) => page.getByRole('complementary').getByText(text, { exact: true });

const WORDS = {
  'en-US': {
    enrol: 'Enrol devices',
    file: 'File',
    check: 'Check',
    marked: '2 to enrol, 1 refused',
    twice: 'serialNumber is given twice',
    taken: 'serialNumber exists already',
    rejections: 'Refused rows',
    select: 'Select',
    selectAll: 'Select all 300',
    selected: '300 selected',
    move: 'Move to a group',
    delete: 'Delete',
    group: 'Group',
    more: 'and 280 more',
    open: 'Open',
    states: { done: 'Done', waiting: 'Waiting', running: 'Running', cancelled: 'Cancelled' },
    cancel: 'Cancel the rest',
    history: 'History',
  },
  'pt-BR': {
    enrol: 'Cadastrar dispositivos',
    file: 'Arquivo',
    check: 'Conferir',
    marked: '2 a cadastrar, 1 recusados',
    twice: 'serialNumber: foi informado duas vezes',
    taken: 'já está em uso',
    rejections: 'Linhas recusadas',
    select: 'Selecionar',
    selectAll: 'Selecionar todos os 300',
    selected: '300 selecionados',
    move: 'Mover para um grupo',
    delete: 'Excluir',
    group: 'Grupo',
    more: 'e mais 280',
    open: 'Abrir',
    states: { done: 'Concluída', waiting: 'Aguardando', running: 'Em execução', cancelled: 'Cancelada' },
    cancel: 'Cancelar o restante',
    history: 'Histórico',
  },
} as const;

const HISTORY_WORDS = {
  'en-US': {
    job: /^Job /,
    records: 'Records',
    count: '3 records',
    device: /^Device /,
    remove: 'Remove the condition Made by a job',
  },
  'pt-BR': {
    job: /^Tarefa /,
    records: 'Registros',
    count: '3 registros',
    device: /^Dispositivo /,
    remove: 'Remover a condição Feita por uma tarefa',
  },
} as const;

it.each(WINDOWS)('a file with a bad row is imported by a job: $name', async ({ name: _, ...window }) => {
  const words = WORDS[window.locale];
  const [one, two] = [`${window.locale}-1`, `${window.locale}-2`];
  const page = await open('/devices', { email, ...window });
  await button(page, words.enrol).click();
  const buffer = Buffer.from(`serial_number;logical_number\n${one};\n${one};900\n${two};901\n`);
  await page.getByLabel(words.file).setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
  await button(page, words.check).click();
  await page.getByRole('dialog').getByText(words.marked).waitFor();
  await page.getByRole('row', { name: `3 ${words.twice}` }).waitFor();
  await expectSound(page);
  await button(page, `${words.enrol} (2)`).click();
  await cell(page, words.states.waiting).waitFor();
  // The device comes into being after the rows were checked.
  await fleet.device(server.acme.client, two);
  await step();
  await cell(page, words.states.done).waitFor();
  await cell(page, '2 / 2').waitFor();
  await tab(page, words.rejections);
  await page.getByRole('row', { name: `4 ${two} ${words.taken}` }).waitFor();
  await expectSound(page);
});

it.each(WINDOWS)(
  'devices of a filter move by a job, which is cancelled: $name',
  async ({ name: _, ...window }) => {
    const words = WORDS[window.locale];
    const { client, caller } = server.acme;
    const group = `moved ${window.locale}`;
    await fleet.group(client, group);
    const number = await fleet.logicalNumber(client, `of ${window.locale}`);
    const prefix = `many ${window.locale}`;
    await insertMany(server.place, ['devices', caller.companyId, 300], (n) => ({
      ...audited(caller.userId),
      serial_number: `${prefix} ${String(n).padStart(3, '0')}`,
      logical_number_id: number,
      enabled: true,
      meta: '{}',
    }));
    const filter = JSON.stringify({ serialNumber: { startsWith: prefix } });
    const page = await open(`/devices?sort=SERIAL_NUMBER&filter=${encodeURIComponent(filter)}`, {
      email,
      ...window,
    });
    await page.getByRole('checkbox', { name: `${words.select} ${prefix} 001` }).click();
    await button(page, words.selectAll).click();
    const selected = page.getByRole('region', { name: words.selected });
    expect(await selected.getByRole('button', { name: words.delete }).count()).toBe(0);
    await selected.getByRole('button', { name: words.move }).click();
    await chosen(page.getByRole('dialog'), words.group, 'moved', group);
    await page.getByRole('dialog').getByText(words.more).waitFor();
    await expectSound(page);
    await button(page, `${words.move} (300)`).click();
    await button(page, words.open).click();
    await cell(page, words.states.waiting).waitFor();
    await step();
    await cell(page, words.states.running).waitFor();
    await cell(page, '80 / 300').waitFor();
    await button(page, words.cancel).click();
    await page.getByRole('dialog').getByRole('button', { name: words.cancel }).click();
    await cell(page, words.states.cancelled).waitFor();
    expect(await button(page, words.cancel).count()).toBe(0);
    expect(await step()).toBeNull();
    await tab(page, words.history);
    await expect.poll(() => page.getByRole('complementary').getByRole('listitem').count()).toBe(2);
  },
);

it.each(WINDOWS)(
  'a job is one entry of the history, which is opened: $name',
  async ({ name: _, ...window }) => {
    const words = HISTORY_WORDS[window.locale];
    const admin = (await addPerson(server, { acme: 'admin' })).email;
    const sent = carrying(server, server.acme, {
      name: 'a.txt',
      bytes: ['A', 'B'].map((end) => `${window.locale} ${end}`).join('\n'),
    });
    await changed(sent, 'mutation ($file: Upload!) { fleetImport(input: { file: $file }) { job { id } } }');
    await step();
    const page = await open('/ledger', { email: admin, ...window });
    const list = page.getByRole('grid').first();
    await list.getByText(words.job).first().waitFor();
    const madeAlone = await list.getByText(words.device).count();
    await list.getByText(words.job).first().click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('tab', { name: words.records }).click();
    await panel.getByText(words.count).waitFor();
    await panel.getByText(words.device).first().click();
    await panel.getByText(`${window.locale} A`).waitFor();
    await expectSound(page);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    expect(await list.getByText(words.device).count()).toBe(madeAlone);
    await page.getByRole('button', { name: words.remove }).click();
    await expect.poll(() => list.getByText(words.device).count()).toBeGreaterThan(madeAlone);
    expect(await page.evaluate('location.search')).toContain('filter=');
  },
);
