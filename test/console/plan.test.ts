import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { setUp } from '../domain/software/device-at/acts.js';
import { apply, DOCUMENT, planned, stateOf } from '../domain/software/plan/plans.js';
import { expectSound } from '../support/browser.js';
import { addPerson } from '../support/people.js';
import { chosen, useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await setUp(server);
  ({ email } = await addPerson(server, { acme: 'operator' }));
});

const WORDS = {
  'en-US': {
    group: 'Group',
    read: 'Read into the document',
    document: 'Document',
    save: 'Save as a file',
    file: 'Or a file',
    see: 'See what would change',
    differences: 'What would change',
    terminals: 'Terminals: 3.',
    losing: 'Terminals that lose app versions: 3.',
    north: 'Groups: north',
    timeout: /^Parameters timeout\s*0 60$/,
    later: /^Parameters timeout\s*50 60$/,
    apply: 'Apply (13)',
    stale: /parameter timeout was changed again, by entry \d+ of the ledger/,
    again: 'Plan again',
    applied: 'Applied: show the job',
    nothing: 'Nothing: all is as the document says.',
    undo: 'Undo: see what that would change',
    broken: 'This is neither YAML nor JSON.',
    unknown: 'document.groups.north: has unknown fields: colour',
  },
  'pt-BR': {
    group: 'Grupo',
    read: 'Ler para o documento',
    document: 'Documento',
    save: 'Salvar como arquivo',
    file: 'Ou um arquivo',
    see: 'Ver o que mudaria',
    differences: 'O que mudaria',
    terminals: 'Terminais: 3.',
    losing: 'Terminais que perdem versões de aplicativos: 3.',
    north: 'Grupos: north',
    timeout: /^Parâmetros timeout\s*0 60$/,
    later: /^Parâmetros timeout\s*50 60$/,
    apply: 'Aplicar (13)',
    stale: /parâmetro timeout foi alterado de novo, na entrada \d+/,
    again: 'Planejar de novo',
    applied: 'Aplicado: mostrar a tarefa',
    nothing: 'Nada: tudo está como o documento diz.',
    undo: 'Desfazer: ver o que isso mudaria',
    broken: 'Isto não é YAML nem JSON.',
    unknown: 'document.groups.north: tem campos desconhecidos: colour',
  },
} as const;

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });

/** Gives the parameter timeout of the group north this value. */
async function changeTimeout(timeout: string): Promise<void> {
  const { groups } = (await stateOf(server.acme)) as { groups: { north: { parameters: object } } };
  const document = { groups: { north: { parameters: { ...groups.north.parameters, timeout } } } };
  const { id } = await planned(server.acme, document);
  expect(await apply(server.acme, document, id)).toMatchObject({ count: 1 });
}

it.each(WINDOWS)('a plan of a file is applied and undone: $name', async ({ name: _, ...window }) => {
  const words = WORDS[window.locale];
  const before = await stateOf(server.acme);
  const page = await open('/plan', { email, ...window });
  const document = page.getByRole('textbox', { name: words.document });
  await chosen(page, words.group, 'nor', 'north');
  await button(page, words.read).click();
  await expect.poll(() => document.inputValue()).toContain('north:');
  const begun = page.waitForEvent('download');
  await button(page, words.save).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe('fleet.yaml');
  expect(await readFile(await download.path(), 'utf8')).toBe(await document.inputValue());

  const buffer = Buffer.from(JSON.stringify(DOCUMENT));
  await page.getByLabel(words.file).setInputFiles({ name: 'fleet.json', mimeType: 'text/plain', buffer });
  await expect.poll(() => document.inputValue()).toBe(buffer.toString());
  await button(page, words.see).click();
  const differences = page.getByRole('list', { name: words.differences });
  const record = (name: string) => differences.getByRole('listitem').filter({ hasText: name });
  await page.getByText(words.terminals).waitFor();
  await page.getByText(words.losing).waitFor();
  expect(await differences.getByRole('listitem').count()).toBe(6);
  const timeout = record(words.north).locator('dl > div').filter({ hasText: 'timeout' });
  expect(await timeout.textContent()).toMatch(words.timeout);
  await expectSound(page);

  await changeTimeout('50');
  await button(page, words.apply).click();
  await page.getByText(words.stale).waitFor();
  await expectSound(page);
  await button(page, words.again).click();
  await expect.poll(() => timeout.textContent()).toMatch(words.later);
  await button(page, words.apply).click();
  await page.getByText(words.applied).waitFor();
  await button(page, words.see).click();
  await page.getByText(words.nothing).waitFor();

  await button(page, words.undo).click();
  await button(page, words.apply).click();
  await differences.waitFor({ state: 'hidden' });
  await changeTimeout('0');
  expect(await stateOf(server.acme)).toEqual(before);
  await page.getByRole('link', { name: words.applied }).click();
  await page.getByRole('complementary').getByText('13 / 13').waitFor();
});

it.each(WINDOWS)('a wrong document is refused with the path: $name', async ({ name: _, ...window }) => {
  const words = WORDS[window.locale];
  const page = await open('/plan', { email, ...window });
  const document = page.getByRole('textbox', { name: words.document });
  await document.fill('groups: [');
  await button(page, words.see).click();
  await page.getByText(words.broken).waitFor();
  await document.fill('groups:\n  north:\n    colour: red\n');
  expect(await page.getByText(words.broken).count()).toBe(0);
  await button(page, words.see).click();
  await page.getByText(words.unknown).waitFor();
  await expectSound(page);
  await page.reload();
  expect(await document.inputValue()).toContain('colour: red');
});
