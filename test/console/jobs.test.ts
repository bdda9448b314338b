import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { takeJobStep } from '../../src/domain/base/job/job.service.js';
import { expectSound } from '../support/browser.js';
import { answered, changed } from '../support/dashboard.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { carrying } from '../support/uploading.js';
import { chosen, expectSoundInSizes, PORTUGUESE_TELEPHONE, useConsole, WINDOWS } from './pages.js';

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
  twice: 'Número de série "new-1" foi informado duas vezes. Remova um.',
  refused: 'Recusada',
  taken: 'Já existe um registro com Número de série',
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
  remove: 'Remover a condição Pagamentos e alterações por tarefas',
} as const;

it('a file with a bad row is imported by a job', async () => {
  const page = await open('/devices', { email, ...PORTUGUESE_TELEPHONE });
  await button(page, WORDS.enrol).click();
  const buffer = Buffer.from(`serial_number;logical_number\nnew-1;\nnew-1;900\nnew-2;901\n`);
  await page.getByLabel(WORDS.file).setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
  await button(page, WORDS.check).click();
  await page.getByRole('dialog').getByText(WORDS.marked).waitFor();
  await page.getByRole('row', { name: `3 new-1 ${WORDS.refused} ${WORDS.twice}` }).waitFor();
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

const PREVIEW_WORDS = {
  'en-US': {
    enrol: 'Enrol devices',
    serials: 'File',
    exist: 'Devices that exist already',
    change: 'Change them',
    check: 'Check',
    rows: [
      '2 OLD Changed Notes: Ask Ana None Tags of the number: vip Merchant: Padaria Açougue Parameter host.address: gw3',
      '3 NEW Created Logical number: NEW-900 (is created) Enabled: No',
      '4 SAME Nothing changes',
      '5 BAD Refused There is no group "Nowhere". Create it first, or choose another one.',
    ],
  },
  'pt-BR': {
    enrol: 'Cadastrar dispositivos',
    serials: 'Arquivo',
    exist: 'Dispositivos que já existem',
    change: 'Alterar',
    check: 'Conferir',
    rows: [
      '2 OLD Alterado Observações: Ask Ana Nenhum Etiquetas do número: vip Estabelecimento: Padaria Açougue Parâmetro host.address: gw3',
      '3 NEW Criado Número lógico: NEW-900 (é criado) Habilitado: Não',
      '4 SAME Nada muda',
      '5 BAD Recusada Não existe grupo "Nowhere". Crie antes ou escolha outro.',
    ],
  },
} as const;

it.each(WINDOWS)('an import shows what each row changes before it runs: $name', async (own) => {
  const words = PREVIEW_WORDS[own.locale];
  const named = (text: string) =>
    text.replaceAll(/OLD|NEW|SAME|BAD/g, (name) => `${name.toLowerCase()}${own.locale}`);
  const { acme } = server;
  const present =
    'serial_number,logical_number,notes,merchant_name\nOLD,OLD-900,Ask Ana,Padaria\nSAME,OLD-901,,';
  const sent = carrying(server, acme, { name: 'a.csv', bytes: named(present) });
  await changed(sent, 'mutation ($file: Upload!) { fleetImport(input: { file: $file }) { job { id } } }');
  await step();
  const page = await open('/devices', { email, ...own });
  await button(page, words.enrol).click();
  const buffer = Buffer.from(
    named(
      [
        'serial_number;logical_number;group;enabled;notes;merchant_name;number_tags;parameters',
        'OLD;OLD-900;;;-;Açougue;vip;"{""host.address"": ""gw3""}"',
        'NEW;NEW-900;;no;;;;',
        'SAME;OLD-901;;yes;;;;',
        'BAD;OLD-901;Nowhere;;;;;',
      ].join('\n'),
    ),
  );
  await page.getByLabel(words.serials).setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel(words.exist).selectOption({ label: words.change });
  await button(page, words.check).click();
  for (const row of words.rows) await page.getByRole('row', { name: named(row), exact: true }).waitFor();
  await expectSoundInSizes(page);
  const query = 'query ($name: String!) { device(serialNumber: $name) { notes } }';
  expect(await answered(acme, query, { name: named('OLD') })).toEqual({
    device: { notes: 'Ask Ana' },
  });
});

const LEADING_WORDS = {
  'en-US': {
    enrol: 'Enrol devices',
    serials: 'Serial numbers',
    check: 'Check',
    done: 'Enrol devices. Done: 2',
    show: 'Show them',
    chip: 'Changed by the job: Import of devices',
    changed: 'Show what it changed',
  },
  'pt-BR': {
    enrol: 'Cadastrar dispositivos',
    serials: 'Números de série',
    check: 'Conferir',
    done: 'Cadastrar dispositivos. Concluído: 2',
    show: 'Mostrar',
    chip: 'Alterados pela tarefa: Importação de dispositivos',
    changed: 'Mostrar o que alterou',
  },
} as const;

it.each(WINDOWS)('the message of the end of an import leads to its devices: $name', async (own) => {
  const words = LEADING_WORDS[own.locale];
  const [one, two] = [`led 1 ${own.locale}`, `led 2 ${own.locale}`];
  await fleet.device(server.acme.client, `not led ${own.locale}`);
  const page = await open('/devices', { email, ...own });
  await button(page, words.enrol).click();
  await page.getByLabel(words.serials).fill(`${one}\n${two}`);
  await button(page, words.check).click();
  await button(page, `${words.enrol} (2)`).click();
  await page.getByRole('complementary').waitFor();
  await step();
  const message = page.getByRole('alertdialog').filter({ hasText: words.done });
  await message.waitFor();
  const list = page.getByRole('grid').first();
  await message.getByRole('button', { name: words.show }).click();
  await page.getByText(words.chip).waitFor();
  await list.getByRole('row', { name: one }).waitFor();
  await list.getByRole('row', { name: two }).waitFor();
  expect(await list.getByRole('row', { name: own.locale }).count()).toBe(2);
  await expectSound(page);
  await page.goBack();
  await page.getByRole('link', { name: words.changed }).click();
  await list.getByRole('row', { name: two }).waitFor();
  expect(await list.getByRole('row', { name: own.locale }).count()).toBe(2);
});

it('the message of several adopted terminals leads to their devices', async () => {
  const admin = (await addPerson(server, { acme: 'admin' })).email;
  await insertMany(server.place, ['unknown_terminals', server.acme.caller.companyId, 2], (n) => ({
    serial_number: `stray ${n}`,
    first_seen_at: server.clock.now(),
    last_seen_at: server.clock.now(),
    count: 1,
  }));
  const page = await open('/unknown-terminals', { email: admin });
  for (const serialNumber of ['stray 1', 'stray 2'])
    await page.getByRole('checkbox', { name: `Select ${serialNumber}` }).click();
  await page.getByRole('region', { name: '2 selected' }).getByRole('button', { name: 'Adopt' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Adopt (2)' }).click();
  await page.getByText('Adopted: 2').waitFor();
  await button(page, 'Show them').click();
  await page.getByText('Devices: stray').waitFor();
  await expect.poll(() => page.getByRole('grid').first().getByText('stray').count()).toBe(2);
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
  await panel.getByText('job A', { exact: true }).waitFor();
  await expectSoundInSizes(page);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  expect(await list.getByText(HISTORY_WORDS.device).count()).toBe(madeAlone);
  await page.getByRole('button', { name: HISTORY_WORDS.remove }).click();
  await expect.poll(() => list.getByText(HISTORY_WORDS.device).count()).toBeGreaterThan(madeAlone);
  expect(await page.evaluate('location.search')).toContain('filter=');
});
