import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { useConsole, WINDOWS } from './pages.js';

const { server, open } = useConsole();
let version = '';
beforeAll(async () => {
  const { client } = server.acme;
  for (const name of ['A-1', 'A-2', 'B-1']) await fleet.device(client, name);
  const [id = 0] = await fleet.appVersions(client, 1, [await fleet.group(client, 'group')]);
  version = Buffer.from(`AppVersion:${id}`).toString('base64url');
});

const WORDS = {
  'en-US': {
    saved: 'Saved filters',
    none: 'No saved filters of this list.',
    name: 'Name',
    share: 'Everyone may use it',
    save: 'Save filter',
    close: 'Close',
    delete: 'Delete',
    rename: 'Rename',
    records: '2 records',
    removeText: 'Remove the condition Serial number',
    removeLacks: 'Remove the condition Lacks app version',
  },
  'pt-BR': {
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
  },
} as const;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it.each(WINDOWS)('a filter is saved, shared, used by a colleague and deleted: $name', async (given) => {
  const { name: what, ...window } = given;
  const words = WORDS[window.locale];
  const [owner, colleague] = await Promise.all(
    ['operator', 'operator'].map((acme) => addPerson(server, { acme } as { acme: 'operator' })),
  );
  const filter = JSON.stringify({ serialNumber: { startsWith: 'A-' }, 'not.version': { eq: version } });
  const page = await open(`/devices?filter=${encodeURIComponent(filter)}`, {
    email: owner?.email ?? '',
    ...window,
  });
  await page.getByText(words.records).waitFor();
  await button(page, words.saved).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(words.none).waitFor();
  await dialog.getByLabel(words.name).fill(what);
  await dialog.getByRole('button', { name: words.save }).click();
  await dialog.getByRole('button', { name: what }).waitFor();
  await expectSound(page);
  await dialog.getByRole('row', { name: what }).getByRole('checkbox').click();
  await expect
    .poll(() => dialog.getByRole('row', { name: what }).getByRole('checkbox').isChecked())
    .toBe(true);
  const other = await open('/devices', { email: colleague?.email ?? '', ...window });
  await button(other, words.saved).click();
  const row = other.getByRole('dialog').getByRole('row', { name: what });
  await row.getByRole('button', { name: what }).waitFor();
  expect(await row.getByRole('button', { name: words.delete }).count()).toBe(0);
  await row.getByRole('button', { name: what }).click();
  await other.getByText(words.records).waitFor();
  await button(other, words.removeText).waitFor();
  await button(other, words.removeLacks).waitFor();
  await dialog.getByRole('button', { name: words.rename }).click();
  const renaming = page.getByRole('dialog', { name: `${words.rename}: ${what}` });
  await renaming.getByLabel(words.name).fill(`${what} 2`);
  await renaming.getByRole('button', { name: words.rename }).click();
  await dialog.getByRole('button', { name: `${what} 2` }).waitFor();
  await dialog.getByRole('button', { name: words.delete }).click();
  await dialog.getByText(words.none).waitFor();
});
