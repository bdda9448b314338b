import { expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { nodeId } from '../support/dashboard.js';
import { createdId, fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { getAsset, newTerminal } from '../support/terminals.js';
import { chosen, picked, savedNumbers, useConsoleOfOtherNode } from './pages.js';

const { server, open } = useConsoleOfOtherNode();
const fileOf = (name: string, text: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
});

it('an app is created, its first version released to a group with a file, and a terminal gets it', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const { client } = server.acme;
  const group = await fleet.group(client, 'Litoral');
  const { token } = await newTerminal(server.acme, 'S-1');
  for (const number of ['number of S-1', '4711']) {
    if (number === '4711') await fleet.logicalNumber(client, number);
    await client.put(`logical_numbers/${number}`, { group_id: group });
  }

  const page = await open('/files', { email });
  await page.getByRole('button', { name: 'Upload file' }).click();
  const upload = page.getByRole('dialog', { name: 'Upload file' });
  await upload.getByLabel('File', { exact: true }).setInputFiles(fileOf('logo.bmp', 'a picture'));
  await upload.getByRole('button', { name: 'Upload file' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByRole('heading', { name: 'logo.bmp' }).waitFor();
  await panel.getByRole('button', { name: 'Edit', exact: true }).click();
  await panel.getByLabel('New content').setInputFiles(fileOf('logo.bmp', 'a newer picture'));
  await panel.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();

  await page.getByRole('link', { name: 'Apps', exact: true }).click();
  await page.getByText('An app is what terminals run').waitFor();
  await page.getByRole('button', { name: 'New app' }).click();
  const newApp = page.getByRole('dialog', { name: 'New app' });
  await newApp.getByLabel('Name').fill('Pay');
  await newApp.getByRole('button', { name: 'Create' }).click();
  await panel.getByText('No versions yet.').waitFor();
  await panel.getByRole('button', { name: 'Add version' }).click();
  const newVersion = page.getByRole('dialog', { name: 'Pay: Add version' });
  await newVersion.getByLabel('Version', { exact: true }).fill('1.0.0');
  await newVersion.getByLabel('Program file').setInputFiles(fileOf('pay.rb', 'the program'));
  await newVersion.getByRole('button', { name: 'Add version' }).click();
  await panel.getByRole('heading', { name: 'Pay 1.0.0' }).waitFor();

  await panel.getByRole('tab', { name: 'Files' }).click();
  await chosen(panel, 'Add', 'logo', 'logo.bmp');
  await panel.getByRole('row', { name: 'logo.bmp' }).waitFor();

  await panel.getByRole('button', { name: 'Release to all at once' }).click();
  const release = page.getByRole('dialog', { name: 'Release to all at once: Pay 1.0.0' });
  expect(await release.getByRole('button', { name: 'Release' }).isDisabled()).toBe(true);
  await chosen(release, 'Group', 'Lit', 'Litoral');
  await release.getByText('Goes to 2 logical numbers, for example number of S-1, 4711').waitFor();
  await expectSound(page);
  await release.getByRole('button', { name: 'Release' }).click();
  await page.getByText('Released to 2 logical numbers').waitFor();
  const numbers = ['C-1', 'C-2', 'C-3'];
  await savedNumbers(server, 'Coast', numbers);
  // Moved to the group, they have the version that it gives to new ones; then it is taken from them.
  for (const changes of [{ group_id: group }, { app_version_ids: [] }]) {
    for (const number of numbers) await client.put(`logical_numbers/${number}`, changes);
  }
  await panel.getByRole('button', { name: 'Release to all at once' }).click();
  await picked(release, 'To whom', 'Saved filter');
  await chosen(release, 'Saved filter', 'coa', 'Coast');
  await release.getByText('Goes to 3 logical numbers, for example C-1, C-2, C-3').waitFor();
  await release.getByRole('button', { name: 'Release' }).click();
  await page.getByText('Released to 3 logical numbers').waitFor();
  await panel.getByRole('tab', { name: 'Terminals' }).click();
  await panel.getByRole('link', { name: 'Litoral' }).waitFor();
  // The changes above have used up what the page may load at once.
  await page.reload();
  await panel.getByRole('row', { name: 'Are to have it' }).getByText('5').waitFor();

  const assets = await Promise.all(
    ['Pay', 'logo.bmp'].map((name) => getAsset(server, token, `acmepagamentos_${name}`)),
  );
  expect(assets.map(({ bytes }) => String(bytes))).toEqual(['the program', 'a newer picture']);
  await panel.getByRole('row', { name: 'Downloaded it' }).getByText('1').waitFor();
  await panel.getByRole('link', { name: 'Have it as it is now' }).click();
  await page.getByRole('row', { name: 'S-1' }).waitFor();
  // The panel of the version counts one record too, until it is closed.
  await page.getByRole('tabpanel', { name: 'Terminals' }).waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('1 record').waitFor();
});

it('lists of more than 100 entries, of which the rest would be removed, are shown and not changed', async () => {
  const { client } = server.acme;
  const { email } = await addPerson(server, { acme: 'operator' });
  const group = await fleet.group(client, 'Long');
  const appVersionIds = await fleet.appVersions(client, 101, [group]);
  const number = await fleet.logicalNumber(client, 'long', {
    group_id: group,
    app_version_ids: appVersionIds,
  });
  const files = Array.from({ length: 101 }, (_, n) => fleet.file(client, `long ${n}`));
  const path = `apps/${await fleet.app(client, 'Long')}/versions`;
  const version = await createdId(client, path, 'app_version', {
    number: '1',
    file_ids: await Promise.all(files),
  });

  const page = await open(`/logical-numbers?open=${nodeId('LogicalNumber', number)}&tab=appVersions`, {
    email,
  });
  const panel = page.getByRole('complementary');
  const note = panel.getByText('Only the first 100 are shown.');
  await note.waitFor();
  await expectSound(page);
  expect(await panel.getByRole('checkbox').count()).toBe(0);
  await page.goto(
    new URL(`/console/app-versions?open=${nodeId('AppVersion', version)}&tab=files`, page.url()).href,
  );
  await note.waitFor();
  expect(await panel.getByRole('row').count()).toBe(100);
  expect(await panel.getByRole('button', { name: 'Remove' }).count()).toBe(0);
  expect(await panel.getByLabel('Add').count()).toBe(0);
});
