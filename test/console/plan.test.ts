import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { setUp } from '../domain/software/device-at/acts.js';
import { apply, DOCUMENT, planned, stateOf } from '../domain/software/plan/plans.js';
import { addPerson } from '../support/people.js';
import { chosen, expectSoundInSizes, PORTUGUESE_TELEPHONE, useConsole } from './pages.js';

const { server, open } = useConsole();
let email: string;
let operator: string;
beforeAll(async () => {
  await setUp(server);
  ({ email } = await addPerson(server, { acme: 'admin' }));
  ({ email: operator } = await addPerson(server, { acme: 'operator' }));
});

const WORDS = {
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
  stale: /Alguém alterou parâmetro timeout de novo, na entrada \d+/,
  again: 'Planejar de novo',
  applied: 'Aplicado: mostrar a tarefa',
  changed: ['Grupos: 1', 'Números lógicos: 3', 'Dispositivos: 2'],
  changedByJob: 'Mostrar o que alterou',
  chip: 'Alterações da tarefa: Plano aplicado',
  nothing: 'Nada: tudo está como o documento diz.',
  undo: 'Desfazer: ver o que isso mudaria',
  broken: 'Isto não é YAML nem JSON.',
  unknown: 'document.groups.north tem campos desconhecidos: colour. Remova.',
} as const;

const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });

/** Gives the parameter timeout of the group north this value. */
async function changeTimeout(timeout: string): Promise<void> {
  const { groups } = (await stateOf(server.acme)) as { groups: { north: { parameters: object } } };
  const document = { groups: { north: { parameters: { ...groups.north.parameters, timeout } } } };
  const { id } = await planned(server.acme, document);
  expect(await apply(server.acme, document, id)).toMatchObject({ count: 1 });
}

it('a plan of a file is applied and undone', async () => {
  const before = await stateOf(server.acme);
  const page = await open('/plan', { email, ...PORTUGUESE_TELEPHONE });
  const document = page.getByRole('textbox', { name: WORDS.document });
  await chosen(page, WORDS.group, 'nor', 'north');
  await button(page, WORDS.read).click();
  await expect.poll(() => document.inputValue()).toContain('north:');
  const begun = page.waitForEvent('download');
  await button(page, WORDS.save).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe('fleet.yaml');
  expect(await readFile(await download.path(), 'utf8')).toBe(await document.inputValue());

  const buffer = Buffer.from(JSON.stringify(DOCUMENT));
  await page.getByLabel(WORDS.file).setInputFiles({ name: 'fleet.json', mimeType: 'text/plain', buffer });
  await expect.poll(() => document.inputValue()).toBe(buffer.toString());
  await button(page, WORDS.see).click();
  const differences = page.getByRole('list', { name: WORDS.differences });
  const record = (name: string) => differences.getByRole('listitem').filter({ hasText: name });
  await page.getByText(WORDS.terminals).waitFor();
  await page.getByText(WORDS.losing).waitFor();
  expect(await differences.getByRole('listitem').count()).toBe(6);
  const timeout = record(WORDS.north).locator('dl > div').filter({ hasText: 'timeout' });
  expect(await timeout.textContent()).toMatch(WORDS.timeout);
  await expectSoundInSizes(page);

  await changeTimeout('50');
  await button(page, WORDS.apply).click();
  await page.getByText(WORDS.stale).waitFor();
  await expectSoundInSizes(page);
  await button(page, WORDS.again).click();
  await expect.poll(() => timeout.textContent()).toMatch(WORDS.later);
  await button(page, WORDS.apply).click();
  await page.getByText(WORDS.applied).waitFor();
  const changes = page.getByRole('status').filter({ hasText: WORDS.applied });
  expect(await changes.getByRole('link').allTextContents()).toEqual([WORDS.applied, ...WORDS.changed]);
  await expectSoundInSizes(page);
  await button(page, WORDS.see).click();
  await page.getByText(WORDS.nothing).waitFor();

  await button(page, WORDS.undo).click();
  await button(page, WORDS.apply).click();
  await differences.waitFor({ state: 'hidden' });
  await changeTimeout('0');
  expect(await stateOf(server.acme)).toEqual(before);
  await page.getByRole('link', { name: WORDS.applied }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('13 / 13').waitFor();
  // The history of the company is for its administrators.
  const other = await open(page.url().replace(/^.*\/console/, ''), {
    email: operator,
    ...PORTUGUESE_TELEPHONE,
  });
  await other.getByRole('complementary').getByText('13 / 13').waitFor();
  expect(await other.getByRole('link', { name: WORDS.changedByJob }).count()).toBe(0);
  await panel.getByRole('link', { name: WORDS.changedByJob }).click();
  await page.getByText(WORDS.chip).waitFor();
  await page
    .getByRole('row', { name: /timeout/ })
    .first()
    .waitFor();
  await expectSoundInSizes(page);
});

it('a wrong document is refused with the path', async () => {
  const page = await open('/plan', { email, ...PORTUGUESE_TELEPHONE });
  const document = page.getByRole('textbox', { name: WORDS.document });
  await document.fill('groups: [');
  await button(page, WORDS.see).click();
  await page.getByText(WORDS.broken).waitFor();
  await document.fill('groups:\n  north:\n    colour: red\n');
  expect(await page.getByText(WORDS.broken).count()).toBe(0);
  await button(page, WORDS.see).click();
  await page.getByText(WORDS.unknown).waitFor();
  await expectSoundInSizes(page);
  await page.reload();
  expect(await document.inputValue()).toContain('colour: red');
});
