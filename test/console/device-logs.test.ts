import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { sendLog } from '../support/device-logs.js';
import { addPerson } from '../support/people.js';
import { newTerminal } from '../support/terminals.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
const AT = '2026-03-01T12:00:00Z';
const LINES = Array.from({ length: 450 }, (_, n) =>
  [9, 149, 299].includes(n) ? `ERROR sem conexão ${n + 1} pan=4111111111111111` : `INFO line ${n + 1}`,
);
let email: string;
let token: string;
beforeAll(async () => {
  ({ token } = await newTerminal(server.acme, 'SN-1'));
  await newTerminal(server.acme, 'SN-2');
  await sendLog(server, token, `?name=main.log&at=${AT}`, LINES.join('\n'));
  await sendLog(server, token, `?name=update.log&at=${AT}&part=1&parts=2`, 'first part\n');
  ({ email } = await addPerson(server, { acme: 'viewer' }));
});

const WORDS = {
  'en-US': {
    noLogs: 'This terminal has sent no log.',
    parts: '1 of 2',
    pages: ['Lines 1 to 200 of 450', 'Lines 201 to 400 of 450', 'Lines 401 to 450 of 450'],
    later: 'Later lines',
    earlier: 'Earlier lines',
    box: 'Text in the log',
    find: 'Find',
    matches: ['Match 1 of 3', 'Match 3 of 3', 'Match 1 of 3'],
    next: 'Next match',
    previous: 'Previous match',
    noMatch: 'No line has this text.',
    download: 'Download',
    all: 'All logs',
  },
  'pt-BR': {
    noLogs: 'Este terminal não enviou nenhum log.',
    parts: '1 de 2',
    pages: ['Linhas 1 a 200 de 450', 'Linhas 201 a 400 de 450', 'Linhas 401 a 450 de 450'],
    later: 'Linhas seguintes',
    earlier: 'Linhas anteriores',
    box: 'Texto no log',
    find: 'Procurar',
    matches: ['Ocorrência 1 de 3', 'Ocorrência 3 de 3', 'Ocorrência 1 de 3'],
    next: 'Próxima ocorrência',
    previous: 'Ocorrência anterior',
    noMatch: 'Nenhuma linha tem este texto.',
    download: 'Baixar',
    all: 'Todos os logs',
  },
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const current = (page: Page) => page.locator('[aria-current=true] mark');

it.each(WINDOWS)('a person reads a log, finds text in it and downloads it: $name', async (window) => {
  const text = WORDS[window.locale];
  const page = await open('/devices', { email, ...window });
  await row(page, 'SN-1').click();
  await page.getByRole('tab', { name: 'Logs' }).click();
  await row(page, 'update.log').getByText(text.parts).waitFor();
  await expectSound(page);
  await row(page, 'main.log').click();
  await page.getByText(text.pages[0] ?? '').waitFor();
  await page.getByText('pan=411111******1111').first().waitFor();
  await expectSound(page);
  await button(page, text.later).click();
  await button(page, text.later).click();
  await page.getByText(text.pages[2] ?? '').waitFor();
  await button(page, text.earlier).click();
  await page.getByText(text.pages[1] ?? '').waitFor();
  await page.getByRole('searchbox', { name: text.box }).fill('CONEXAO');
  await button(page, text.find).click();
  await page.getByText(text.matches[0] ?? '').waitFor();
  await expect.poll(() => current(page).textContent()).toContain('sem conexão 10');
  expect(await page.locator('mark').count()).toBe(2);
  await expectSound(page);
  await button(page, text.previous).click();
  await page.getByText(text.matches[1] ?? '').waitFor();
  await expect.poll(() => current(page).textContent()).toContain('sem conexão 300');
  await button(page, text.next).click();
  await expect.poll(() => current(page).textContent()).toContain('sem conexão 10');
  const loading = page.waitForEvent('download');
  await page.getByRole('link', { name: text.download }).click();
  const file = await loading;
  expect(file.suggestedFilename()).toBe('SN-1 main.log');
  const expected = LINES.join('\n').replaceAll('4111111111111111', '411111******1111');
  expect(readFileSync(await file.path(), 'utf8')).toBe(expected);
  await page.getByRole('searchbox', { name: text.box }).fill('nothing');
  await page.keyboard.press('Enter');
  await page.getByText(text.noMatch).waitFor();
  await button(page, text.all).click();
  await row(page, 'update.log').waitFor();
});

it('a log that arrives appears at once in the tab of its device', async () => {
  const text = WORDS['en-US'];
  const page = await open('/devices', { email });
  await row(page, 'SN-2').click();
  await page.getByRole('tab', { name: 'Logs' }).click();
  await page.getByText(text.noLogs).waitFor();
  const { token: other } = await newTerminal(server.acme, 'SN-3');
  await sendLog(server, other, '?name=other.log', 'other\n');
  await row(page, 'SN-3').click();
  await page.getByRole('heading', { name: 'SN-3' }).waitFor();
  await page.getByRole('tab', { name: 'Logs' }).click();
  await row(page, 'other.log').waitFor();
  await sendLog(server, other, '?name=second.log', 'second\n');
  await row(page, 'second.log').waitFor();
});
