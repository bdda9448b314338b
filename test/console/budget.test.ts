import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import type { Fields } from '../support/client.js';
import { signedIn } from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { useConsole } from './pages.js';

const { server, open } = useConsole({ rateLimitPerHour: 3_600 });

/** Changes of a busy minute, one every 400 ms, and those while the list is hidden. */
const CHANGES = 150;
const HIDDEN = 15;
/** Requests of a list that follows a busy fleet for a minute: 15, 8 more in the first one, and the last 3 together. */
const MOST = 26;

it('a list follows a busy fleet within the budget of an hour, and sends nothing while it is hidden', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/groups?sort=-UPDATED_AT', { email });
  await page.clock.install();
  await page.reload();
  await page.getByText('A group is a set of logical numbers').waitFor();
  // The time of the page passes by `runFor` alone, however long the requests of the test take.
  await page.clock.pauseAt(Date.now() + 60_000);
  let requests = 0;
  let counted = 0;
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql')) return;
    requests += 1;
    if (request.headers()['x-refresh'] === undefined) counted += 1;
  });
  const requestsDuring = async (changes: number, name: string): Promise<number> => {
    requests = 0;
    for (let n = 0; n < changes; n += 1) {
      await fleet.group(server.acme.client, `${name} ${n}`);
      await page.clock.runFor(400);
    }
    return requests;
  };
  const sent = await requestsDuring(CHANGES, 'seen');
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThanOrEqual(MOST);
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true })`);
  await page.clock.runFor(60_000);
  expect(await requestsDuring(HIDDEN, 'hidden')).toBe(0);
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: false });
    document.dispatchEvent(new Event('visibilitychange'))`);
  await page.getByText(`${CHANGES + HIDDEN} records`).waitFor();
  // Nobody asked for them: the budget of the hour is for what people do.
  expect(counted).toBe(0);
});

describe('a list that others change', () => {
  /** The variables of the queries of a list from now on. */
  const variablesOf = (page: Page, query: string): Fields[] => {
    const asked: Fields[] = [];
    page.on('request', (request) => {
      const body = (request.postDataJSON() ?? {}) as { readonly query?: string; readonly variables?: Fields };
      if (body.query?.includes(query) === true) asked.push(body.variables ?? {});
    });
    return asked;
  };

  it('loads only the rows that were updated', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const { client } = server.acme;
    await fleet.device(client, 'row a');
    const id = await fleet.device(client, 'row b');
    const page = await open('/devices?sort=SERIAL_NUMBER', { email });
    await page.getByRole('gridcell', { name: 'row b' }).waitFor();
    const asked = variablesOf(page, 'query DeviceList');
    await client.put('devices/row b', { enabled: false });
    await page.getByRole('row', { name: 'row b' }).getByText('Disabled').waitFor();
    expect(asked).toMatchObject([{ first: 1, filter: { id: { in: [nodeId('Device', id)] } } }]);
  });

  it('loads the page on screen if a row moves', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const { client } = server.acme;
    await fleet.group(client, 'zz a');
    await fleet.group(client, 'zz b');
    const page = await open('/groups?sort=-NAME', { email });
    await page.getByRole('gridcell', { name: 'zz a' }).waitFor();
    const asked = variablesOf(page, 'query GroupList');
    await client.put('groups/zz a', { name: 'zz c' });
    await page.getByRole('gridcell', { name: 'zz c' }).waitFor();
    expect(asked.at(-1)).toMatchObject({ first: 100 });
    const names = await page.getByRole('gridcell', { name: /^zz .$/ }).allTextContents();
    expect(names).toEqual(['zz c', 'zz b']);
  });
});

describe('RU-83 at the limit of the hour', () => {
  const HOURLY = 60;
  const small = useConsole({ rateLimitPerHour: HOURLY });

  it('pages that nobody touches keep what they show', async () => {
    const { email } = await addPerson(small.server, { acme: 'viewer' });
    await fleet.group(small.server.acme.client, 'shown');
    const isExpected = (problem: string) => problem.includes('429');
    const pages = [];
    for (const path of ['/groups', '/overview']) pages.push(await small.open(path, { email, isExpected }));
    const [list, overview] = pages;
    await list?.getByRole('gridcell', { name: 'shown' }).waitFor();
    const payments = overview?.getByRole('region', { name: 'Payments' });
    await payments?.waitFor();
    const elsewhere = await signedIn(small.server.url, email);
    for (let spent = 0; spent < HOURLY; spent += 1) {
      await elsewhere.graphql('{ __typename }');
      await elsewhere.graphql('{ __typename }', {}, { headers: { 'x-refresh': '1' } });
    }
    await fleet.group(small.server.acme.client, 'not shown');
    await list?.getByText('Too many requests in this hour').waitFor();
    await list?.getByRole('gridcell', { name: 'shown', exact: true }).waitFor();
    expect(await payments?.count()).toBe(1);
  });
});
