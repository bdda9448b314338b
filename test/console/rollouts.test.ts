import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { DAY, MINUTE } from '../../src/platform/clock.js';
import { DESKTOP, expectSound, TELEPHONE } from '../support/browser.js';
import { answered, nodeId } from '../support/dashboard.js';
import { crcOf, fleet, softwareOf } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { lookAgain, reportAll, rolloutFleet } from '../support/rollouts.js';
import { type Sale, sell, type Sold } from '../support/sales.js';
import { reportInstall, statesOf } from '../support/software.js';
import { base64, stockedTerminal } from '../support/stocked-terminal.js';
import { issueToken } from '../support/terminals.js';
import { chosen, picked, useConsole } from './pages.js';

const { server, open } = useConsole();

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

/** The waves in the panel of a rollout, each with its state and its numbers of terminals. */
async function wavesIn(panel: Locator, wave: string): Promise<readonly string[]> {
  const regions = await panel.getByRole('region', { name: wave }).all();
  const texts = regions.map(async (region) => [
    await region.locator('.badge').textContent(),
    ...(await region.getByRole('listitem').allTextContents()),
  ]);
  return (await Promise.all(texts)).map((parts) => parts.join(' '));
}

const VERSION = 'query ($id: ID!) { node(id: $id) { ... on AppVersion { number app { name } } } }';
interface Versioned {
  readonly node: { readonly number: string; readonly app: { readonly name: string } };
}

it('a rollout is planned, shown before it is created, and goes through three waves', async () => {
  const { acme } = server;
  const { email } = await addPerson(server, { acme: 'operator' });
  const { after } = await rolloutFleet(server, acme, 11, 'Padarias');
  const { node } = await answered<Versioned>(acme, VERSION, { id: nodeId('AppVersion', after) });
  const { number, app } = node;
  expect((await acme.client.put('devices/Padarias%2011', { enabled: false })).status).toBe(200);
  const page = await open('/rollouts', { email, viewport: DESKTOP });
  await page.getByText('A rollout gives new app versions to a few terminals first').waitFor();
  await button(page, 'New rollout').click();
  const dialog = page.getByRole('dialog', { name: 'New rollout' });
  await chosen(dialog, 'App versions', app.name, `${app.name} ${number}`);
  await dialog.getByLabel('Name', { exact: true }).fill('Sale 1.1');
  await chosen(dialog, 'Group', 'Pad', 'Padarias');
  for (const row of ['Wave 1 1 Padarias', 'Wave 2 3 Padarias', 'Wave 3 6 Padarias']) {
    await dialog.getByRole('row', { name: row }).waitFor();
  }
  await dialog.getByRole('row', { name: 'Left out: Device disabled 1 Padarias 11' }).waitFor();
  await page.reload();
  await button(page, 'Continue draft').click();
  expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Sale 1.1');

  await dialog.getByText('Change waves, conditions and hours').click();
  const wave = (name: string) => dialog.getByRole('group', { name });
  await wave('Wave 1 of 3').getByLabel('Percent', { exact: true }).fill('0');
  await wave('Wave 1 of 3').getByText('must be at least 1').waitFor();
  expect(await button(dialog, 'Review and start').isDisabled()).toBe(true);
  await wave('Wave 1 of 3').getByLabel('Percent', { exact: true }).fill('10');
  for (const name of ['Wave 1 of 3', 'Wave 2 of 3', 'Wave 3 of 3']) {
    await wave(name).getByLabel('Hours to wait').fill('0');
  }
  await button(dialog, 'Add wave').click();
  await picked(wave('Wave 3 of 4'), 'Which terminals', 'Groups');
  await chosen(wave('Wave 3 of 4'), 'Groups', 'Pad', 'Padarias');
  await dialog.getByRole('row', { name: 'Wave 3 10 Padarias' }).waitFor();
  await expectSound(page);
  await button(wave('Wave 3 of 4'), 'Remove wave').click();
  await dialog.getByRole('row', { name: 'Wave 3 6 Padarias' }).waitFor();
  await button(dialog, 'Review and start').click();
  const question = page.getByRole('dialog', { name: 'Start now for 10 of 11 terminals?' });
  await question.getByText('The first wave has 1 terminal; the others wait for it.').waitFor();
  await expectSound(page);
  await button(question, 'Cancel').click();
  await button(dialog, 'Review and start').click();
  await button(question, 'Start').click();

  const panel = page.getByRole('complementary');
  const shows = async (...waves: readonly string[]): Promise<void> =>
    await expect.poll(() => wavesIn(panel, 'Wave')).toEqual(waves);
  await panel.getByRole('heading', { name: 'Sale 1.1' }).waitFor();
  await panel.getByText('Wave 1 of 3: 1 terminal').waitFor();
  await panel.getByText('Wave 3 of 3: 6 terminals').waitFor();
  await panel.getByText('Left out when it was planned: 1 terminal').waitFor();
  await lookAgain(server);
  await shows('Under way On the way 1', 'Waiting Waiting 3', 'Waiting Waiting 6');
  const at = server.clock.now().getTime();
  const sales: readonly Sale[] = ['approved', 'approved', 'approved', 'denied'];
  const sold = Array.from({ length: 11 }, (_, n) =>
    sales.flatMap((sale): readonly Sold[] => [
      { serialNumber: `Padarias ${n + 1}`, sale, at },
      { serialNumber: `Padarias ${n + 1}`, sale: 'approved', at: at - 7 * DAY },
    ]),
  );
  await sell(server, acme, sold.flat());
  server.clock.advance(2 * MINUTE);
  await lookAgain(server);
  await panel.getByRole('row', { name: /^Now 75% [\d,.]+ 4$/ }).waitFor();
  await panel.getByRole('row', { name: /^A week before 100% [\d,.]+ 4$/ }).waitFor();
  await panel.getByRole('row', { name: /^Those that wait 75% [\d,.]+ 36$/ }).waitFor();
  await expectSound(page);
  const known = { version: after, state: 'proven' };
  await reportAll(server, acme, { ...known, wave: 0 });
  await lookAgain(server);
  await lookAgain(server);
  await shows('Done Sold with it 1', 'Under way On the way 3', 'Waiting Waiting 6');

  // The steps above have used up what the page may load at once.
  await page.reload();
  await button(panel, 'Pause').click();
  await page.getByRole('row', { name: 'Paused' }).waitFor();
  await panel.getByText('Already on the way, and still installing it: 3 terminals').waitFor();
  await reportAll(server, acme, { ...known, wave: 1 });
  await lookAgain(server);
  await button(panel, 'Resume').click();
  await page.getByRole('row', { name: 'Running' }).waitFor();
  await lookAgain(server);
  await lookAgain(server);
  await shows('Done Sold with it 1', 'Done Sold with it 3', 'Under way On the way 6');
  await reportAll(server, acme, { ...known, wave: 2, count: 5 });
  await lookAgain(server);
  await page.getByRole('row', { name: 'Finished' }).waitFor();
  await shows('Done Sold with it 1', 'Done Sold with it 3', 'Done Sold with it 5 On the way 1');

  await panel.getByRole('tab', { name: 'Terminals' }).click();
  await button(panel, 'Filter').click();
  await picked(panel, 'State', 'Left out');
  await panel.getByText('1 record').waitFor();
  await panel.getByRole('row', { name: 'Padarias 11 Left out' }).waitFor();
  await picked(panel, 'State', 'Sold with it');
  await picked(panel, 'Wave', '2');
  await panel.getByText('3 records').waitFor();
  await expectSound(page);
  await panel.getByRole('tab', { name: 'History' }).click();
  await expect.poll(() => panel.getByRole('listitem').count()).toBe(7);
  await panel.getByText('Ended').waitFor();
  await panel.getByRole('link', { name: 'Show what it changed' }).click();
  await page.getByText('10 records').waitFor();
  await page.getByText('Changed by the job:').waitFor();
  expect(await page.getByRole('row', { name: 'Padarias 11' }).count()).toBe(0);
  await expectSound(page);
});

it('a release that fails stops, says so, is undone; the version shows who lacks it', async () => {
  const { acme } = server;
  const { email } = await addPerson(server, { acme: 'operator' });
  const sale = await stockedTerminal(acme, 'sale');
  const tokens = new Map([[sale.serialNumber, sale.token]]);
  for (const name of ['T-1', 'T-2', 'T-3']) {
    const numberId = await fleet.logicalNumber(acme.client, name, {
      group_id: sale.groupId,
      app_version_ids: [sale.versionId],
    });
    tokens.set(
      name,
      await issueToken(acme, await fleet.device(acme.client, name, { logical_number_id: numberId })),
    );
  }
  const next = await softwareOf(acme.client).version(sale.versionPath, {
    number: '2.0',
    bytecode: base64('bad'),
  });
  const version = nodeId('AppVersion', Number(next.id));
  const page = await open(`/app-versions?open=${version}`, { email, viewport: TELEPHONE, locale: 'pt-BR' });
  const panel = page.getByRole('complementary');
  await button(panel, 'Liberar em ondas').waitFor();
  const first = await panel.locator('header').first().getByRole('button').allTextContents();
  expect(first.slice(0, 2)).toEqual(['Liberar em ondas', 'Liberar a todos de uma vez']);
  await button(panel, 'Liberar em ondas').click();
  const dialog = page.getByRole('dialog', { name: 'Nova implantação' });
  await chosen(dialog, 'Grupo', 'sale', 'group of sale');
  await dialog.getByRole('row', { name: 'De fora: Grupo não permite as versões 4' }).waitFor();
  expect(await button(dialog, 'Conferir e iniciar').isDisabled()).toBe(true);
  await dialog.getByText('Terminais só recebem versões que o grupo permite.').waitFor();
  await button(dialog, 'Permitir no grupo').click();
  await dialog.getByRole('row', { name: 'Onda 3 2' }).waitFor();
  await expectSound(page);
  await button(dialog, 'Conferir e iniciar').click();
  const start = page.getByRole('dialog', { name: 'Iniciar agora para 4 de 4 terminais?' });
  await expectSound(page);
  await button(start, 'Iniciar').click();
  await panel.getByRole('heading', { name: 'sale.posxml 2.0' }).waitFor();
  await lookAgain(server);
  await expect.poll(() => wavesIn(panel, 'Onda')).toContain('Em andamento A caminho 1');

  const [state = ''] = await statesOf(acme, version);
  const serialNumber = state.replace(' GRANTED', '');
  const failure = { result: 'failed', code: 'SIGNATURE', detail: 'signed by another company' };
  const body = { name: 'acmepagamentos_sale.posxml', crc: crcOf(Buffer.from('bad')), ...failure };
  expect((await reportInstall(server, tokens.get(serialNumber) ?? '', body)).status).toBe(200);
  await lookAgain(server);
  await lookAgain(server);
  await panel.getByText('1 de 1 terminais falharam na onda 1: pelo menos 4 %.').waitFor();
  await expectSound(page);

  await panel.getByRole('tab', { name: 'Dados' }).click();
  await panel.getByRole('link', { name: 'sale.posxml 2.0' }).click();
  const list = panel.getByRole('grid', { name: 'Quem a tem e quem não a tem' });
  await list.getByRole('row', { name: `${serialNumber} Falhou` }).waitFor();
  await list.getByText('SIGNATURE: signed by another company').waitFor();
  await button(panel, 'Filtrar').click();
  await picked(panel, 'Situação', 'Comprovada');
  await panel.getByText('Nenhum registro atende a estas condições.').waitFor();
  await picked(panel, 'Situação', 'Falhou');
  await panel.getByLabel('Motivo').fill('SIGNATURE');
  const lacking = panel.getByRole('region', { name: 'Quem a tem e quem não a tem' });
  await chosen(lacking, 'Grupo', 'sale', 'group of sale');
  await expectSound(page);
  await list.getByRole('link', { name: serialNumber }).click();
  await panel.getByRole('tab', { name: 'Software' }).click();
  await panel.getByRole('row', { name: 'sale.posxml 2.0 Falhou' }).waitFor();
  await expectSound(page);

  await page.goBack();
  await page.goBack();
  await button(panel, 'Desfazer implantação').click();
  const question = page.getByRole('dialog');
  await question.getByText('De volta a sale.posxml 1.0: 1 terminal').waitFor();
  await button(question, 'Desfazer implantação').click();
  await lookAgain(server);
  await panel.getByText('Receberam de volta o que tinham: 1 de 1 terminal').waitFor();
  expect(await statesOf(acme, version)).toEqual([]);
  expect((await statesOf(acme, nodeId('AppVersion', sale.versionId))).length).toBe(4);

  await panel.getByRole('status').getByRole('link', { name: 'sale.posxml 2.0' }).click();
  const groups = panel.getByRole('region', { name: 'Grupos que a permitem' });
  await groups.getByText('Permitir não muda nenhum terminal').waitFor();
  await button(groups, 'Remover').click();
  await groups.getByText('Nenhum grupo a permite ainda.').waitFor();
  await expectSound(page);
  await button(page, 'Desfazer').click();
  await groups.getByRole('link', { name: 'group of sale' }).waitFor();
});
