import { parse } from 'csv-parse/sync';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';

import { expectSound } from '../support/browser.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { populate } from '../support/populated.js';
import { addressesIn, useConsole } from './pages.js';

const { server, open } = useConsole();
let email: string;
beforeAll(async () => {
  await populate(server, server.acme, 3);
  await fleet.device(server.acme.client, '=1+1');
  ({ email } = await addPerson(server, { acme: 'admin' }));
});

it('a list is downloaded as it is shown: with its conditions and its columns', async () => {
  const filter = JSON.stringify({ serialNumber: { startsWith: '=' } });
  const page = await open(`/devices?filter=${encodeURIComponent(filter)}`, { email });
  await page.getByRole('grid').getByText('=1+1').waitFor();
  const begun = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe('devices.csv');
  const [header = '', ...rows] = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(header).toMatch(/^serialNumber,presence,enabled,logicalNumber,logicalNumber[.]group,meta,/);
  expect(rows[0]).toMatch(/^'=1[+]1,NEVER_SEEN,true,,/);
  expect(rows.slice(1)).toEqual(['']);
});

it('a list is exported as a link, which the jobs page shows to the person who made it', async () => {
  const filter = JSON.stringify({ serialNumber: { startsWith: '=' } });
  const page = await open(`/devices?filter=${encodeURIComponent(filter)}`, { email });
  await page.getByRole('grid').getByText('=1+1').waitFor();
  await page.getByRole('button', { name: 'Export as a link' }).click();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('1 / 1').waitFor();
  const link = await panel.getByLabel('Link').inputValue();
  await expectSound(page);
  const text = await (await fetch(link)).text();
  expect(text.split('\r\n')[1]).toMatch(/^'=1[+]1,NEVER_SEEN,true,,/);
  const other = (await addPerson(server, { acme: 'admin' })).email;
  const address = page.url().replace(server.url, '').replace('/console', '');
  const others = await open(address, { email: other });
  await others.getByRole('complementary').getByText('1 / 1').waitFor();
  expect(await others.getByLabel('Link').count()).toBe(0);
});

it('each list of the menu can be downloaded', async () => {
  const page = await open('/', { email });
  const lists: string[] = [];
  for (const address of await addressesIn(page)) {
    await page.goto(address);
    await page.locator('main h1').waitFor();
    const link = page.getByRole('link', { name: 'Export' });
    await expect.poll(() => page.locator('p.state[role=status]').count()).toBe(0);
    if ((await link.count()) === 0) continue;
    const href = (await link.getAttribute('href')) ?? '';
    const text = await page.evaluate<string>(`fetch(${JSON.stringify(href)}).then((reply) => reply.text())`);
    // A strict reader finds a header, and as many cells in each record.
    expect(parse(text).length, href).toBeGreaterThan(0);
    lists.push(new URL(href, server.url).pathname.split('/').at(-1) ?? '');
  }
  expect(lists).toEqual(expect.arrayContaining(['devices', 'groups', 'transactions', 'ledger']));
  expect(lists.length).toBeGreaterThan(10);
});
