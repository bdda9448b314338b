import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { expectSoundInSizes, PORTUGUESE_TELEPHONE, useConsole } from './pages.js';

const { server, open } = useConsole();
let version = '';
beforeAll(async () => {
  const { client } = server.acme;
  for (const name of ['A-1', 'A-2', 'B-1']) await fleet.device(client, name);
  const [id = 0] = await fleet.appVersions(client, 1, [await fleet.group(client, 'group')]);
  version = Buffer.from(`AppVersion:${id}`).toString('base64url');
});

const WORDS = {
  saved: 'Filtros salvos',
  none: 'Nenhum filtro salvo desta lista.',
  name: 'Nome',
  share: 'Todos podem usar',
  save: 'Salvar filtro',
  close: 'Fechar',
  delete: 'Excluir',
  rename: 'Renomear',
  records: '2 registros',
  removeText: 'Remover a condição Número de série',
  removeLacks: 'Remover a condição Não tem a versão de aplicativo',
} as const;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it('a filter is saved, shared, used by a colleague and deleted', async () => {
  const what = 'without the version';
  const [owner, colleague] = await Promise.all(
    ['operator', 'operator'].map((acme) => addPerson(server, { acme } as { acme: 'operator' })),
  );
  const filter = JSON.stringify({ serialNumber: { startsWith: 'A-' }, 'not.version': { eq: version } });
  const page = await open(`/devices?filter=${encodeURIComponent(filter)}`, {
    email: owner?.email ?? '',
    ...PORTUGUESE_TELEPHONE,
  });
  await page.getByText(WORDS.records).waitFor();
  await button(page, WORDS.saved).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(WORDS.none).waitFor();
  await dialog.getByLabel(WORDS.name).fill(what);
  await dialog.getByRole('button', { name: WORDS.save }).click();
  await dialog.getByRole('button', { name: what }).waitFor();
  await expectSoundInSizes(page);
  await dialog.getByRole('row', { name: what }).getByRole('checkbox').click();
  await expect
    .poll(() => dialog.getByRole('row', { name: what }).getByRole('checkbox').isChecked())
    .toBe(true);
  const other = await open('/devices', { email: colleague?.email ?? '', ...PORTUGUESE_TELEPHONE });
  await button(other, WORDS.saved).click();
  const row = other.getByRole('dialog').getByRole('row', { name: what });
  await row.getByRole('button', { name: what }).waitFor();
  expect(await row.getByRole('button', { name: WORDS.delete }).count()).toBe(0);
  await row.getByRole('button', { name: what }).click();
  await other.getByText(WORDS.records).waitFor();
  await button(other, WORDS.removeText).waitFor();
  await button(other, WORDS.removeLacks).waitFor();
  await dialog.getByRole('button', { name: WORDS.rename }).click();
  const renaming = page.getByRole('dialog', { name: `${WORDS.rename}: ${what}` });
  await renaming.getByLabel(WORDS.name).fill(`${what} 2`);
  await renaming.getByRole('button', { name: WORDS.rename }).click();
  await dialog.getByRole('button', { name: `${what} 2` }).waitFor();
  await dialog.getByRole('button', { name: WORDS.delete }).click();
  await dialog.getByText(WORDS.none).waitFor();
});

it('a saved filter for yesterday stays relative, and its page names the zone', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  for (const number of ['1', '2', '3']) await fleet.logicalNumber(server.acme.client, number);
  const page = await open('/logical-numbers', { email });
  await button(page, 'Filter').click();
  const created = page.getByRole('combobox', { name: 'Created' });
  await created.selectOption('TODAY');
  await button(page, 'Remove the condition Created').waitFor();
  await page.getByText('Created: Today (UTC)').waitFor();
  expect(await page.getByLabel('Created from').count()).toBe(0);
  await expectSoundInSizes(page);
  await page.getByText('3 records').waitFor();
  await created.selectOption('YESTERDAY');
  await page.getByText('Created: Yesterday (UTC)').waitFor();
  await page.getByText('0 records').waitFor();
  await button(page, 'Saved filters').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('made yesterday');
  await dialog.getByRole('button', { name: 'Save filter' }).click();
  await dialog.getByRole('button', { name: 'made yesterday' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await button(page, 'Clear all').click();
  await page.getByText('3 records').waitFor();
  await button(page, 'Saved filters').click();
  await dialog.getByRole('button', { name: 'made yesterday' }).click();
  await page.getByText('Created: Yesterday (UTC)').waitFor();
  await created.selectOption('From … before …');
  await page.getByLabel('Created from').fill('2026-01-01T00:00');
  await page.getByText('3 records').waitFor();
});
