import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import type { Fields } from '../support/client.js';
import { answered, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { mutated } from '../support/mutations.js';
import { addPerson } from '../support/people.js';
import { newTerminal } from '../support/terminals.js';
import { httpTerminal } from '../support/waiting-terminal.js';
import { picked, PORTUGUESE_TELEPHONE, useConsoleOfOtherNode, WINDOWS } from './pages.js';

const { server, open } = useConsoleOfOtherNode();

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });
const row = (within: Page | Locator, name: string) => within.getByRole('row', { name });

/** The terminal reports what became of a command, as its firmware does. */
async function tell(token: string, id: string, body: Fields): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await server.anonymous.post(`/terminal/v1/commands/${id}`, body, { headers });
  expect(status).toBe(200);
}

/** The id of the command that a terminal is given. */
async function given(token: string): Promise<string> {
  const [message = ''] = (await httpTerminal(server.url, token).get('/notifications?wait=30')).messages;
  return message.split('|')[0] ?? '';
}

async function lastCommand(): Promise<{ readonly id: string }> {
  const query = '{ commands(first: 1, orderBy: { field: ID, direction: DESC }) { nodes { id } } }';
  const { commands } = await answered<{ commands: { nodes: { id: string }[] } }>(server.acme, query);
  return commands.nodes[0] ?? { id: '' };
}

const send = async (action: string, ...deviceIds: number[]): Promise<void> => {
  const target = { ids: deviceIds.map((id) => nodeId('Device', id)) };
  await mutated(server.acme, 'commandSend', { input: { action }, target }, 'count');
};

const WORDS = {
  'en-US': {
    send: 'Send command',
    action: 'Action',
    offered: [
      'Restart',
      'Update apps',
      'Update system',
      'Cancel system update',
      'Set up again',
      'Set time zone',
      'Send log',
    ],
    lasts: 'Terminals may do it for',
    hour: '1 hour',
    sent: 'Command sent: 2',
    open: 'Open',
    states: ['Waiting', 'Handed over', 'Confirmed', 'Done'],
    unknown: 'Not known if done',
    figures: 'Waiting: 1',
    failed: 'Failed',
  },
  'pt-BR': {
    send: 'Enviar comando',
    action: 'Ação',
    offered: [
      'Reiniciar',
      'Atualizar aplicativos',
      'Atualizar sistema',
      'Cancelar atualização do sistema',
      'Configurar de novo',
      'Acertar fuso horário',
      'Enviar log',
    ],
    lasts: 'Terminais podem executá-lo por',
    hour: '1 hora',
    sent: 'Comando enviado: 2',
    open: 'Abrir',
    states: ['Aguardando', 'Entregue', 'Confirmado', 'Feito'],
    unknown: 'Não se sabe se foi feito',
    figures: 'Aguardando: 1',
    failed: 'Falhou',
  },
} as const;

it.each(WINDOWS)('a command is sent to a selection and followed until it is done: $name', async (own) => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const words = WORDS[own.locale];
  const names = ['one', 'two'].map((name) => `${name} ${own.locale}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push((await newTerminal(server.acme, name)).token);
  const [token = '', other = ''] = tokens;
  const page = await open('/devices', { email, ...own });
  for (const name of names) {
    await row(page, name).focus();
    await page.keyboard.press('Space');
  }
  await button(page, words.send).click();
  const dialog = page.getByRole('dialog', { name: words.send });
  await dialog.getByText(names.join(', '), { exact: true }).waitFor();
  expect(await dialog.getByLabel(words.action).getByRole('option').allTextContents()).toEqual(words.offered);
  await picked(dialog, words.lasts, words.hour);
  await expectSound(page);
  await button(dialog, `${words.send} (2)`).click();
  const toast = page.getByRole('alertdialog').filter({ hasText: words.sent });
  await button(toast, words.open).click();

  const panel = page.getByRole('complementary');
  await panel.getByRole('heading', { name: words.offered[0] }).waitFor();
  const state = async (name: string, text: string): Promise<void> =>
    await row(panel, name).getByText(text, { exact: true }).waitFor();
  const [waiting, handedOver, confirmed, done] = words.states;
  const [first = '', second = ''] = names;
  await state(first, waiting);
  const id = await given(token);
  await state(first, handedOver);
  await httpTerminal(server.url, token).confirm(id);
  await state(first, confirmed);
  await state(first, words.unknown);
  await expectSound(page);
  await tell(token, id, { state: 'done' });
  await state(first, done);
  await panel.getByText(words.figures).waitFor();
  await tell(other, await given(other), { state: 'failed', code: 'BATTERY', detail: '4 %' });
  await state(second, words.failed);
  await state(second, 'BATTERY: 4 %');
  await expectSound(page);
});

const EXPORTED = {
  'en-US': {
    export: 'Export',
    download: 'Download',
    head: '\uFEFFAction,State,Sent,Sent by,Until,Urgent',
    row: /^Update system,Under way,2.+,no$/,
  },
  'pt-BR': {
    export: 'Exportar',
    download: 'Baixar',
    head: '\uFEFFAção;Situação;Enviado;Enviado por;Até;Urgente',
    row: /^Atualizar sistema;Em andamento;\d\d\/.+;não$/,
  },
} as const;

it.each(WINDOWS)('commands are exported for a spreadsheet in words: $name', async (own) => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const words = EXPORTED[own.locale];
  await send('SYSTEM_UPDATE', (await newTerminal(server.acme, `E ${own.locale}`)).id);
  const page = await open('/commands', { email, ...own });
  await button(page, words.export).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('fieldset').waitFor();
  await expectSound(page);
  const begun = page.waitForEvent('download');
  await dialog.getByRole('link', { name: words.download }).click();
  const lines = (await readFile(await (await begun).path(), 'utf8')).split('\r\n');
  expect(lines.slice(0, 2)).toEqual([words.head, expect.stringMatching(words.row)]);
});

it('a command that waits is cancelled on its device, whose history says so', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const { id } = await newTerminal(server.acme, 'C-1');
  await send('SYSTEM_UPDATE', id);
  await send('REBOOT', id);
  const path = `/devices?open=${nodeId('Device', id)}&tab=commands`;
  const page = await open(path, { email, ...PORTUGUESE_TELEPHONE });
  const panel = page.getByRole('complementary');
  await row(panel, 'Atualizar sistema Aguardando').waitFor();
  await expectSound(page);
  await button(row(panel, 'Reiniciar'), 'Cancelar comando').click();
  const question = page.getByRole('dialog', { name: 'Cancelar comando' });
  await question.getByText('Um terminal que já o tem ainda pode executá-lo.').waitFor();
  await expectSound(page);
  await button(question, 'Cancelar comando (1)').click();
  await row(panel, 'Reiniciar Cancelado').waitFor();
  await row(panel, 'Atualizar sistema Aguardando').waitFor();
  await expect.poll(() => row(panel, 'Reiniciar').getByRole('button').count()).toBe(0);
  await panel.getByRole('tab', { name: 'Histórico' }).click();
  const entry = panel.getByRole('listitem').filter({ hasText: 'Comando cancelado' });
  await entry.getByText('Reiniciar').waitFor();
});

it('an administrator resets the terminals of a group, once told what that does, and cancels it', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const { client } = server.acme;
  const group = await fleet.group(client, 'Litoral');
  const ids: number[] = [];
  for (const name of ['G-1', 'G-2', 'G-3']) {
    ids.push((await newTerminal(server.acme, name)).id);
    if (name !== 'G-3') await client.put(`logical_numbers/number of ${name}`, { group_id: group });
  }
  const page = await open(`/groups?open=${nodeId('Group', group)}`, { email });
  await button(page, 'Actions for Litoral').click();
  await page.getByRole('menuitem', { name: 'Send command' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send command' });
  await dialog.getByText('G-1, G-2', { exact: true }).waitFor();
  await expect.poll(() => dialog.locator('.note-bad').count()).toBe(0);
  await picked(dialog, 'Action', 'Reset configuration');
  await dialog.getByText('Each terminal loses its configuration').waitFor();
  await expectSound(page);
  await button(dialog, 'Send command (2)').click();
  await button(page.getByRole('alertdialog'), 'Open').click();
  const panel = page.getByRole('complementary');
  await panel.getByText('Waiting: 2').waitFor();
  await button(panel, 'Cancel for all').click();
  await page.getByRole('dialog').getByText('A terminal that has it may still do it.').waitFor();
  await button(page.getByRole('dialog'), 'Cancel for all').click();
  await panel.getByText('Cancelled: 2').waitFor();
  await button(panel, 'Cancel for all').waitFor({ state: 'detached' });
  await panel.getByRole('tab', { name: 'History' }).click();
  await panel.getByText('Reset configuration').nth(1).waitFor();

  await page.goto(new URL(`/console/devices?open=${nodeId('Device', ids[2] ?? 0)}`, page.url()).href);
  await panel.getByRole('button', { name: 'Actions for G-3' }).click();
  await page.getByRole('menuitem', { name: 'Send command' }).click();
  await picked(dialog, 'Action', 'Another word of the firmware');
  await dialog.getByLabel('Word of the firmware', { exact: true }).fill('BLINK_LED');
  await dialog.getByLabel('Parameters').fill('red\n5');
  await button(dialog, 'Send command (1)').click();
  await panel.getByRole('tab', { name: 'Commands' }).click();
  await row(panel, 'BLINK_LED: red, 5 Waiting').waitFor();
});

it('the list of commands is filtered by action, and a rule tells of those that failed', async () => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const { id } = await newTerminal(server.acme, 'F-1');
  await send('SETUP_DEVICE_CONFIG', id);
  await send('TIMEZONE_UPDATE', id);
  const page = await open('/commands', { email });
  await row(page, 'Set up again').first().waitFor();
  await button(page, 'Filter').click();
  await picked(page, 'Action', 'Set time zone');
  await page.getByText('1 record', { exact: true }).waitFor();
  await row(page, 'Set time zone Waiting: 1 Under way').waitFor();
  await expectSound(page);
  await picked(page, 'State', 'Ended');
  await page.getByText('No record matches these conditions.').waitFor();
  const { id: command } = await lastCommand();
  await mutated(server.acme, 'commandCancel', { id: command }, 'count');
  await row(page, 'Set time zone Cancelled: 1 Ended').waitFor();
  await page.goto(new URL('/console/alert-rules', page.url()).href);
  await button(page, 'New rule').first().click();
  const form = page.getByRole('dialog', { name: 'New rule' });
  await form.getByLabel('Name', { exact: true }).fill('Commands that fail');
  await picked(form, 'Kind', 'Failed commands');
  await button(form, 'Create').click();
  await row(page, 'Commands that fail').getByText('Failed commands').waitFor();
});
