import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import { getDeviceBySerialNumber, reportDevice } from '../../src/domain/fleet/device/device.service.js';
import { expectSound, TELEPHONE } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { picked, useConsoleOfOtherNode, WINDOWS } from './pages.js';

const { server, open } = useConsoleOfOtherNode();
let email: string;
let viewer: string;
beforeAll(async () => {
  const { client } = server.acme;
  await populate(server, server.acme, 2);
  const group = await fleet.group(client, 'with software');
  const versions = await fleet.appVersions(client, 1, [group]);
  const number = await fleet.logicalNumber(client, '700', { group_id: group, app_version_ids: versions });
  for (const name of ['SN-700', 'SN-701']) await fleet.device(client, name, { logical_number_id: number });
  await fleet.logicalNumber(client, '800');
  const reported = { battery_level: '21', gprs_signal: '40', sim_card_id: '89551234567890123456' };
  await server.app.units.write(server.acme.caller, async (work) =>
    reportDevice(work, await getDeviceBySerialNumber(work, 'SN-701'), { meta: reported }),
  );
  ({ email } = await addPerson(server, { acme: 'admin' }));
  ({ email: viewer } = await addPerson(server, { acme: 'viewer' }));
});

const WORDS = {
  en: {
    filter: 'Filter',
    below: 'Battery below (%)',
    condition: 'Battery: below 21%',
    sim: 'SIM card',
    noMatch: 'No record matches these conditions.',
    columns: 'Columns',
    battery: 'Battery',
    share: '21%',
  },
  pt: {
    filter: 'Filtrar',
    below: 'Bateria abaixo de (%)',
    condition: 'Bateria: abaixo de 21%',
    sim: 'Chip (SIM)',
    noMatch: 'Nenhum registro atende a estas condições.',
    columns: 'Colunas',
    battery: 'Bateria',
    share: '21%',
  },
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, name: string) => page.getByRole('row', { name });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** Chooses a record by its name, as people type it. */
async function choose(page: Page, label: string, name: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(name);
  await page.getByRole('option', { name, exact: true }).click();
}

it('devices are enrolled from a list, with the refused lines shown before and the list kept meanwhile', async () => {
  const page = await open('/devices', { email });
  await button(page, 'Enrol devices').click();
  // Either of them is enough.
  for (const label of ['Serial numbers', 'File'])
    expect(await page.getByLabel(label, { exact: true }).getAttribute('aria-required'), label).toBeNull();
  await page.getByLabel('Serial numbers').fill('NEW-1\nNEW-2\n\nNEW-1\nBAD\u200BX\nSN-700\n');
  await page.reload();
  await button(page, 'Enrol devices').click();
  await button(page, 'Check').click();
  await page.getByText('2 to enrol, 3 refused').waitFor();
  await row(page, '4 NEW-1 Refused Serial number "NEW-1" is given twice. Remove one.').waitFor();
  await row(page, 'Refused Serial number has characters that cannot be seen.').waitFor();
  await row(
    page,
    '6 SN-700 Refused There is already one with the Serial number "SN-700". Enter another one.',
  ).waitFor();
  await expectSound(page);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('refused.csv');
  await button(page, 'Enrol devices (2)').click();
  await page.getByRole('heading', { name: 'Import of devices' }).waitFor();
  await page.getByRole('complementary').getByText('Done').waitFor();
  await page.getByText('Enrol devices. Done: 2').waitFor();
  await page.goto(new URL('/console/devices', page.url()).href);
  await row(page, 'NEW-2').getByText('NEW-2', { exact: true }).click();
  await page.getByRole('heading', { name: 'NEW-2' }).waitFor();
});

it('the template of an import has headings that an import takes', async () => {
  const page = await open('/devices', { email });
  await button(page, 'Enrol devices').click();
  const link = page.getByRole('link', { name: 'Download a template' });
  const [, headings = ''] = ((await link.getAttribute('href')) ?? '').split(',');
  const file = `${decodeURIComponent(headings)}T-1,L-77,,true,north,Note,Shop,Street 1,`;
  await page.getByLabel('Serial numbers').fill(file);
  await button(page, 'Check').click();
  await page.getByText('1 to enrol, 0 refused').waitFor();
});

it('many devices are disabled by keyboard, after their number and names are shown', async () => {
  const page = await open('/devices', { email });
  const names = ['populated 0', 'populated 1'];
  for (const name of names) {
    await row(page, name).focus();
    await page.keyboard.press('Space');
  }
  await button(page, 'Disable').focus();
  await page.keyboard.press('Enter');
  await page.getByText(names.join(', '), { exact: true }).waitFor();
  await button(page, 'Disable (2)').focus();
  await page.keyboard.press('Enter');
  for (const name of names) await row(page, name).getByText('Disabled').waitFor();
  await row(page, names[0] ?? '').focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^Refused because the device is disabled/).waitFor();
});

it('two people edit one device: the second sees both values, a reload keeps the draft, a change is taken back', async () => {
  const [first, second] = [await open('/devices', { email }), await open('/devices', { email })];
  for (const page of [first, second]) {
    await row(page, 'SN-700').getByText('SN-700', { exact: true }).click();
    await button(page, 'Edit').click();
  }
  await choose(first, 'Logical number', '800');
  await first.reload();
  await button(first, 'Edit').click();
  await expect.poll(() => first.getByRole('combobox', { name: 'Logical number' }).inputValue()).toBe('800');
  await choose(second, 'Logical number', 'populated 0');
  await button(second, 'Save').click();
  await second.getByText('Saved', { exact: true }).waitFor();
  await button(first, 'Save').click();
  await first.getByRole('row', { name: 'Logical number 800 populated 0' }).waitFor();
  await expectSound(first);
  await button(first, 'Save mine').click();
  await button(first, 'Undo').click();
  await tab(first, 'History');
  await expect.poll(() => first.getByRole('listitem').first().textContent()).toMatch(/800 ?populated 0/);
  await button(first, 'Take back').click();
  await expect.poll(() => first.getByRole('listitem').first().textContent()).toMatch(/populated 0 ?800/);
});

it('the panel of a device says what its terminal gets and why, and makes a new token', async () => {
  const page = await open('/devices', { email, viewport: TELEPHONE, colorScheme: 'dark' });
  await row(page, 'Select populated 0').getByText('populated 0', { exact: true }).first().click();
  await tab(page, 'What it gets');
  await row(page, 'shared value Own value instead of value of the group populated 0').waitFor();
  await expectSound(page);
  await tab(page, 'Transactions');
  await row(page, '12.50').waitFor();
  await tab(page, 'Deliveries');
  await page.getByRole('link', { name: 'Hello' }).first().waitFor();
  await tab(page, 'Facts');
  const panel = page.getByRole('complementary');
  await panel.getByRole('button', { name: 'Actions for populated 0' }).click();
  await page.getByRole('menuitem', { name: 'New tokens' }).click();
  await button(page, 'New tokens (1)').click();
  expect(await page.getByRole('textbox', { name: 'Token of the terminal' }).inputValue()).toMatch(
    /^[0-9a-f]{40}$/,
  );
  await expectSound(page);
});

it('devices get new tokens by a job, which has them as a file', async () => {
  const page = await open('/devices', { email });
  for (const name of ['populated 0', 'populated 1']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  }
  await button(page, 'New tokens').click();
  await picked(page.getByRole('dialog'), 'Keep the old token for', '7 days');
  await expectSound(page);
  await button(page, 'New tokens (2)').click();
  await button(page, 'Open').click();
  const file = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as CSV' }).click();
  const text = await readFile(await (await file).path(), 'utf8');
  expect(text.match(/^populated [01],[0-9a-f]{40}\r$/gm)).toHaveLength(2);
  await expectSound(page);
});

it('a logical number moves once the loss of software is accepted, and comes back', async () => {
  const page = await open('/logical-numbers', { email });
  await row(page, 'Select 700').getByText('700', { exact: true }).click();
  await tab(page, 'App versions');
  await page.getByRole('checkbox', { checked: true }).waitFor();
  await button(page, 'Edit').click();
  await choose(page, 'Group', 'populated 0');
  await button(page, 'Save').first().click();
  await page.getByRole('checkbox', { name: 'Save all the same' }).check();
  await button(page, 'Save').first().click();
  await row(page, '700 populated 0').waitFor();
  await button(page, 'Undo').click();
  await row(page, '700 with software').waitFor();
});

it('an unknown terminal becomes a device under a number', async () => {
  const page = await open('/unknown-terminals', { email });
  await row(page, 'unknown populated 0').getByRole('button', { name: 'Adopt' }).click();
  await choose(page, 'Logical number', '800');
  await button(page, 'Adopt (1)').click();
  await expect.poll(() => row(page, 'unknown populated 0').count()).toBe(0);
  await page.goto(new URL('/console/logical-numbers', page.url()).href);
  await row(page, 'Select 800').getByText('unknown populated 0').waitFor();
});

it.each(WINDOWS)(
  'devices with a low battery are found, with their SIM cards: $name',
  async ({ name, ...window }) => {
    const text = name.startsWith('English') ? WORDS.en : WORDS.pt;
    const page = await open('/devices', { email, ...window });
    await button(page, text.filter).click();
    await page.getByLabel(text.below, { exact: true }).fill('21');
    await page.getByText(text.condition).waitFor();
    await page.getByLabel(text.sim, { exact: true }).fill('8955');
    await page.getByText(text.noMatch).waitFor();
    await page.getByLabel(text.below, { exact: true }).fill('22');
    await button(page, text.columns).click();
    for (const column of [text.battery, text.sim]) {
      await page.getByRole('menuitemcheckbox', { name: column, exact: true }).click();
    }
    await page.keyboard.press('Escape');
    await row(page, 'SN-701').getByText('89551234567890123456').waitFor();
    expect(await page.getByRole('row', { name: 'SN-700' }).count()).toBe(0);
    await expectSound(page);
    await row(page, 'SN-701').getByText('SN-701', { exact: true }).click();
    await page.getByRole('complementary').getByText(text.share).waitFor();
  },
);

it('viewers see no button that changes something', async () => {
  const page = await open('/devices', { email: viewer });
  await row(page, 'SN-700').getByText('SN-700', { exact: true }).click();
  await page.getByText('Reported by the terminal').waitFor();
  const names = await page.getByRole('main').getByRole('button').allInnerTexts();
  expect(names.filter((name) => /create|enrol|edit|token|adopt|delete/i.test(name))).toEqual([]);
  expect(await page.getByRole('button', { name: /Actions for/ }).count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
});
