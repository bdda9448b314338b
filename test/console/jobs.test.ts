import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { takeJobStep } from '../../src/domain/base/job/job.service.js';
import { changed } from '../support/dashboard.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { carrying } from '../support/uploading.js';
import { chosen, expectSoundInSizes, PORTUGUESE_TELEPHONE, useConsole } from './pages.js';

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
} as const;

const HISTORY_WORDS = {
  job: /^Tarefa /,
  records: 'Registros',
  count: '3 registros',
  device: /^Dispositivo /,
  remove: 'Remover a condição Feita por uma tarefa',
} as const;

it('a file with a bad row is imported by a job', async () => {
  const page = await open('/devices', { email, ...PORTUGUESE_TELEPHONE });
  await button(page, WORDS.enrol).click();
  const buffer = Buffer.from(`serial_number;logical_number\nnew-1;\nnew-1;900\nnew-2;901\n`);
  await page.getByLabel(WORDS.file).setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
  await button(page, WORDS.check).click();
  await page.getByRole('dialog').getByText(WORDS.marked).waitFor();
  await page.getByRole('row', { name: `3 ${WORDS.twice}` }).waitFor();
  await expectSoundInSizes(page);
  await button(page, `${WORDS.enrol} (2)`).click();
  await cell(page, WORDS.states.waiting).waitFor();
  // The device comes into being after the rows were checked.
  await fleet.device(server.acme.client, 'new-2');
  await step();
  await cell(page, WORDS.states.done).waitFor();
  await cell(page, '2 / 2').waitFor();
  await tab(page, WORDS.rejections);
  await page.getByRole('row', { name: `4 new-2 ${WORDS.taken}` }).waitFor();
  await expectSoundInSizes(page);
});

it('devices of a filter move by a job, which is cancelled', async () => {
  const { client, caller } = server.acme;
  await fleet.group(client, 'moved here');
  const number = await fleet.logicalNumber(client, 'of many');
  await insertMany(server.place, ['devices', caller.companyId, 300], (n) => ({
    ...audited(caller.userId),
    serial_number: `many ${String(n).padStart(3, '0')}`,
    logical_number_id: number,
    enabled: true,
    meta: '{}',
  }));
  const filter = JSON.stringify({ serialNumber: { startsWith: 'many' } });
  const page = await open(`/devices?sort=SERIAL_NUMBER&filter=${encodeURIComponent(filter)}`, {
    email,
    ...PORTUGUESE_TELEPHONE,
  });
  await page.getByRole('checkbox', { name: `${WORDS.select} many 001` }).click();
  await button(page, WORDS.selectAll).click();
  const selected = page.getByRole('region', { name: WORDS.selected });
  expect(await selected.getByRole('button', { name: WORDS.delete }).count()).toBe(0);
  await selected.getByRole('button', { name: WORDS.move }).click();
  await chosen(page.getByRole('dialog'), WORDS.group, 'moved', 'moved here');
  await page.getByRole('dialog').getByText(WORDS.more).waitFor();
  await expectSoundInSizes(page);
  await button(page, `${WORDS.move} (300)`).click();
  await button(page, WORDS.open).click();
  await cell(page, WORDS.states.waiting).waitFor();
  await step();
  await cell(page, WORDS.states.running).waitFor();
  await cell(page, '80 / 300').waitFor();
  await button(page, WORDS.cancel).click();
  await page.getByRole('dialog').getByRole('button', { name: WORDS.cancel }).click();
  await cell(page, WORDS.states.cancelled).waitFor();
  expect(await button(page, WORDS.cancel).count()).toBe(0);
  expect(await step()).toBeNull();
  await tab(page, WORDS.history);
  await expect.poll(() => page.getByRole('complementary').getByRole('listitem').count()).toBe(2);
});

it('a job is one entry of the history, which is opened', async () => {
  const admin = (await addPerson(server, { acme: 'admin' })).email;
  const sent = carrying(server, server.acme, { name: 'a.txt', bytes: 'job A\njob B' });
  await changed(sent, 'mutation ($file: Upload!) { fleetImport(input: { file: $file }) { job { id } } }');
  await step();
  const page = await open('/ledger', { email: admin, ...PORTUGUESE_TELEPHONE });
  const list = page.getByRole('grid').first();
  await list.getByText(HISTORY_WORDS.job).first().waitFor();
  const madeAlone = await list.getByText(HISTORY_WORDS.device).count();
  await list.getByText(HISTORY_WORDS.job).first().click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('tab', { name: HISTORY_WORDS.records }).click();
  await panel.getByText(HISTORY_WORDS.count).waitFor();
  await panel.getByText(HISTORY_WORDS.device).first().click();
  await panel.getByText('job A').waitFor();
  await expectSoundInSizes(page);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  expect(await list.getByText(HISTORY_WORDS.device).count()).toBe(madeAlone);
  await page.getByRole('button', { name: HISTORY_WORDS.remove }).click();
  await expect.poll(() => list.getByText(HISTORY_WORDS.device).count()).toBeGreaterThan(madeAlone);
  expect(await page.evaluate('location.search')).toContain('filter=');
});
