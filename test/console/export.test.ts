import { parse } from 'csv-parse/sync';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { MINUTE } from '../../src/platform/clock.js';
import { aDayLater } from '../domain/base/export-schedule/schedules.js';
import { createWebhook } from '../domain/base/webhook/hooks.js';
import { payment, record } from '../domain/payments/transaction/records.js';
import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { useServerWithMail } from '../support/mailbox.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { addressesIn, PORTUGUESE_TELEPHONE, useConsole, useWindows, WINDOWS } from './pages.js';

const { server, open } = useConsole();
const mailing = useServerWithMail({ publicUrl: 'https://gateway.example' });
const openMailing = useWindows(() => mailing.server.url);
let email: string;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  await fleet.device(server.acme.client, '=1+1');
  const at = new Date('2026-01-31T12:05:06Z');
  const paid = payment({ amount: 123_456, status: 'denied', statusReason: '05' });
  await record(server, server.acme, [{ ...paid, serialNumber: '00042', startedAt: at, finishedAt: at }]);
  ({ email } = await addPerson(server, { acme: 'admin' }));
});

/** Opens the window of an export. */
async function openExport(page: Page, label = 'Export'): Promise<Locator> {
  await page.getByRole('button', { name: label, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('fieldset').waitFor();
  return dialog;
}

async function downloaded(dialog: Locator, label = 'Download') {
  const begun = dialog.page().waitForEvent('download');
  await dialog.getByRole('link', { name: label }).click();
  const download = await begun;
  const text = await readFile(await download.path(), 'utf8');
  return { name: download.suggestedFilename(), lines: text.split('\r\n') };
}

it('a list is downloaded as it is shown, for programs: with its conditions and its columns', async () => {
  const filter = JSON.stringify({ serialNumber: { startsWith: '=' } });
  const page = await open(`/devices?filter=${encodeURIComponent(filter)}`, { email });
  await page.getByRole('grid').getByText('=1+1').waitFor();
  const dialog = await openExport(page);
  await dialog.getByLabel('For', { exact: true }).selectOption('csv');
  const { name, lines } = await downloaded(dialog);
  expect(name).toBe('devices.csv');
  const [header = '', ...rows] = lines;
  expect(header).toMatch(/^serialNumber,presence,enabled,logicalNumber,logicalNumber[.]group,meta,/);
  expect(rows[0]).toMatch(/^'=1[+]1,NEVER_SEEN,true,,/);
  expect(rows.slice(1)).toEqual(['']);
});

it.each(WINDOWS)('payments are exported for a spreadsheet, $name', async ({ locale, viewport }) => {
  const isPortuguese = locale === 'pt-BR';
  const say = (english: string, portuguese: string): string => (isPortuguese ? portuguese : english);
  const filter = JSON.stringify({ serialNumber: { eq: '00042' } });
  const page = await open(`/transactions?filter=${encodeURIComponent(filter)}`, { email, locale, viewport });
  await page.getByRole('grid').getByText('00042').first().waitFor();
  let dialog = await openExport(page, say('Export', 'Exportar'));
  const box = (english: string, portuguese: string) =>
    dialog.getByRole('checkbox', { name: say(english, portuguese), exact: true });
  const all = box('All fields', 'Todos os campos');
  await all.check();
  await all.uncheck();
  await dialog.getByText(say('Choose a field.', 'Escolha um campo.')).waitFor();
  await box('Serial number', 'Número de série').check();
  await box('Amount', 'Valor').check();
  await box('Reason', 'Motivo').check();
  await box('Decision', 'Decisão').check();
  await box('Method', 'Meio').check();
  await box('Installments', 'Parcelas').check();
  await box('Started', 'Início').check();
  await dialog.getByRole('button', { name: say('Amount: move up', 'Valor: mover para cima') }).click();
  await expectSound(page);
  // The choice is remembered.
  await page.reload();
  dialog = await openExport(page, say('Export', 'Exportar'));
  const { name, lines } = await downloaded(dialog, say('Download', 'Baixar'));
  expect(name.replace(/ \d{4}-\d\d-\d\d[.]csv$/, '')).toBe(
    say('Transactions, Serial number 00042', 'Transações, Número de série 00042'),
  );
  expect(lines).toEqual(
    isPortuguese
      ? [
          '\uFEFFValor;Número de série;Motivo;Decisão;Meio;Parcelas;Início',
          '1234,56;"=""00042""";05 Não autorizada;Negado;Crédito;3;31/01/2026 12:05:06',
          '',
        ]
      : [
          '\uFEFFAmount,Serial number,Reason,Decision,Method,Installments,Started',
          '1234.56,"=""00042""",05 Do not honour,Denied,Credit,3,2026-01-31 12:05:06',
          '',
        ],
  );
  await dialog.getByRole('button', { name: say('Make a link', 'Criar um link') }).click();
  const link = await dialog.getByLabel('Link').inputValue();
  const text = await (await fetch(link)).text();
  expect(`\uFEFF${text}`.split('\r\n')).toEqual(lines);
  await dialog.getByRole('button', { name: say('Copy', 'Copiar'), exact: true }).waitFor();
});

it('each list of the menu can be downloaded', async () => {
  const page = await open('/', { email });
  const lists: string[] = [];
  const wordless: string[] = [];
  for (const address of await addressesIn(page)) {
    await page.goto(address);
    await page.locator('main h1').waitFor();
    const button = page.getByRole('button', { name: 'Export', exact: true });
    await expect.poll(() => page.locator('p.state[role=status]').count()).toBe(0);
    if ((await button.count()) === 0) continue;
    const dialog = await openExport(page);
    await dialog.getByRole('checkbox', { name: 'All fields' }).check();
    const label = await dialog.getByRole('listitem').allInnerTexts();
    // A field without a word has its name from the API.
    expect(
      label.filter((each) => /^[a-z]+([A-Z.]|$)/.test(each)),
      address,
    ).toEqual([]);
    expect(new Set(label).size, label.join()).toBe(label.length);
    const href = (await dialog.getByRole('link', { name: 'Download' }).getAttribute('href')) ?? '';
    const text = await page.evaluate<string>(`fetch(${JSON.stringify(href)}).then((reply) => reply.text())`);
    // A strict reader finds a header, and as many cells in each record.
    const [head, ...rows] = parse(text);
    expect(head, href).toHaveLength(label.length);
    const words = JSON.parse(new URL(href, server.url).searchParams.get('words') ?? '') as object;
    const names = rows.flat().filter((value) => /^[A-Z]{3,}(_[A-Z]+)*$/.test(value));
    wordless.push(...names.filter((name) => !Object.values(words).includes(name)));
    lists.push(new URL(href, server.url).pathname.split('/').at(-1) ?? '');
  }
  expect(lists).toEqual(expect.arrayContaining(['commands', 'devices', 'groups', 'transactions', 'ledger']));
  expect(lists.length).toBeGreaterThan(10);
  // Values of enumerations are in words.
  expect([...new Set(wordless)]).toEqual([]);
});

it('an administrator has an export made each week, sees it with its webhook and deletes it', async () => {
  const url = 'https://receiver.example/exports';
  await createWebhook(server.acme, { url });
  const page = await open('/devices', { email, ...PORTUGUESE_TELEPHONE });
  const dialog = await openExport(page, 'Exportar');
  await dialog.getByRole('button', { name: 'Agendar' }).click();
  const form = page.getByRole('dialog', { name: 'Agendar' });
  await form.getByLabel('Nome').fill('Frota');
  await form.getByLabel('Dia').selectOption('segunda-feira');
  await form.getByLabel('Hora').selectOption('7:00');
  await form.getByLabel('Webhook').selectOption(url);
  await expectSound(page);
  await form.getByRole('button', { name: 'Criar' }).click();
  await form.waitFor({ state: 'detached' });
  await page.goto(`${server.url}/console/webhooks`);
  await page.getByText(url).click();
  await page.getByRole('tab', { name: 'Exportações agendadas' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('segunda-feira 7:00').waitFor();
  await panel.getByText('Nunca').waitFor();
  await expectSound(page);
  await panel.getByRole('button', { name: 'Excluir', exact: true }).last().click();
  await panel.getByText('Nenhuma. Exportar na página').waitFor();
});

it.each(WINDOWS)('an export is scheduled by e-mail, and its state is seen, $name', async (window) => {
  const { locale, viewport } = window;
  const say = (english: string, portuguese: string): string => (locale === 'pt-BR' ? portuguese : english);
  const person = await addPerson(mailing.server, { acme: 'admin' });
  const name = `Fleet ${locale}`;
  const page = await openMailing('/devices', { email: person.email, locale, viewport });
  const dialog = await openExport(page, say('Export', 'Exportar'));
  await dialog.getByRole('button', { name: say('Schedule', 'Agendar') }).click();
  const form = page.getByRole('dialog', { name: say('Schedule', 'Agendar') });
  await form.getByLabel(say('Name', 'Nome')).fill(name);
  const create = form.getByRole('button', { name: say('Create', 'Criar') });
  await create.click();
  await form.getByText(say('Recipients must not be empty', 'Destinatários não pode')).waitFor();
  await form.getByRole('checkbox', { name: `Ana Souza (${person.email})` }).check();
  await expectSound(page);
  await create.click();
  await form.waitFor({ state: 'detached' });
  mailing.mailbox.refused.add(person.email);
  await aDayLater(mailing.server);
  // Sessions end within a day.
  const jobs = await openMailing('/jobs', { email: person.email, locale, viewport });
  const row = jobs.getByRole('row', { name });
  await row.getByText('Ana Souza').waitFor();
  await row
    .getByText(say('The mail server has not taken the e-mail. It', 'O servidor de e-mail não aceitou'))
    .waitFor();
  await row.getByText(person.email, { exact: false }).waitFor();
  await expectSound(jobs);
  mailing.mailbox.refused.clear();
  mailing.server.clock.advance(MINUTE);
  await mailing.server.app.exportSchedules.run();
  await jobs.reload();
  await row.getByText(say('Taken', 'Recebida em')).waitFor();
  expect(mailing.mailbox.letters.filter(({ to }) => to === person.email)).toHaveLength(1);
});
