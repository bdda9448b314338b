import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createServer, type Server } from '../../src/app/server.js';
import { createGroup } from '../../src/domain/fleet/group/group.service.js';
import { createLogger } from '../../src/platform/logger.js';
import { testConfig } from '../support/config.js';
import { openBrowser, signedIn, type TestBrowser } from '../support/console.js';
import { changed, nodeId } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { mutated } from '../support/mutations.js';
import { addPerson, PASSWORD } from '../support/people.js';
import { useConsole } from './pages.js';

const { server, open } = useConsole();
let restarted: Server | undefined;
afterEach(() => restarted?.stop(1_000));

const RENAME =
  'mutation ($id: ID!, $name: String!) { groupUpdate(id: $id, input: { name: $name }) { group { id } } }';
const rename = (id: string, name: string) => changed(server.acme, RENAME, { id, name });

const newGroup = async (name: string) => nodeId('Group', await fleet.group(server.acme.client, name));

/** Opens a group with its form. */
async function openForm(page: Page): Promise<void> {
  await page.getByRole('complementary').getByRole('button', { name: 'Edit', exact: true }).click();
}

const nameIn = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

/** Signs in on the page that asks for it. */
async function signInAgain(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** A browser without pages that has the session of this one. */
async function sessionOf(page: Page): Promise<TestBrowser> {
  const [cookie] = await page.context().cookies();
  const browser = openBrowser(server.url);
  browser.cookie = `${cookie?.name}=${cookie?.value}`;
  return browser;
}

it('two people who edit one record see both values before one is lost', async () => {
  const id = await newGroup('edited by two');
  const openIt = async () => {
    const { email } = await addPerson(server, { acme: 'operator' });
    return await open(`/groups?open=${id}`, { email });
  };
  const [one, other] = await Promise.all([openIt(), openIt()]);
  await openForm(one);
  await openForm(other);
  await nameIn(one).fill('mine');
  await nameIn(other).fill('theirs');
  await save(other);
  // The change arrives while the other person types.
  await one.getByRole('heading', { name: 'theirs' }).waitFor();
  expect(await nameIn(one).inputValue()).toBe('mine');
  await save(one);
  const question = one.getByRole('region', { name: 'Changed by somebody else meanwhile' });
  await question.getByRole('row', { name: 'Name mine theirs' }).waitFor();
  await question.getByRole('button', { name: 'Take these values' }).click();
  await expect.poll(() => nameIn(one).inputValue()).toBe('theirs');

  // The change is made right before the form is sent: the server refuses it.
  await nameIn(one).fill('mine again');
  let isFirst = true;
  await one.route('**/graphql', async (route) => {
    if (isFirst && route.request().postData()?.includes('GroupUpdate') === true) {
      isFirst = false;
      await rename(id, 'theirs again');
    }
    await route.continue();
  });
  await save(one);
  await question.getByRole('row', { name: 'Name mine again theirs again' }).waitFor();
  await one.getByRole('button', { name: 'Save mine' }).click();
  await one.getByRole('heading', { name: 'mine again' }).waitFor();
});

const SESSIONS = '{ viewer { sessions { id current } } }';
const CHOSEN = 'another horse battery staple';
interface Listed {
  readonly viewer: { readonly sessions: readonly { readonly id: string; readonly current: boolean }[] };
}

/** Ends the session elsewhere; the result makes it possible to sign in again, and resolves to the password. */
type End = (email: string, userId: string) => Promise<() => Promise<string>>;

const inOtherBrowser =
  (mutation: string, variables: (listed: Listed) => object, password: string): End =>
  async (email) => {
    const elsewhere = await signedIn(server.url, email);
    const { body } = await elsewhere.graphql<Listed>(SESSIONS);
    await changed(elsewhere, mutation, { ...variables(body.data) });
    return () => Promise.resolve(password);
  };

const ofUser = (mutation: string, id: string) =>
  changed(server.acme, `mutation ($id: ID!) { ${mutation}(id: $id) { userErrors { code } } }`, { id });

const ENDS: Readonly<Record<string, End>> = {
  'is ended in another browser': inOtherBrowser(
    'mutation ($id: ID!) { sessionEnd(id: $id) { endedId } }',
    ({ viewer }) => ({ id: viewer.sessions.find(({ current }) => !current)?.id }),
    PASSWORD,
  ),
  'ends with a change of the password': inOtherBrowser(
    'mutation ($current: String!, $new: String!) { passwordChange(current: $current, new: $new) { userErrors { code } } }',
    () => ({ current: PASSWORD, new: CHOSEN }),
    CHOSEN,
  ),
  'ends since the user is disabled': async (_email, userId) => {
    await ofUser('userDisable', userId);
    return async () => {
      await ofUser('userEnable', userId);
      return PASSWORD;
    };
  },
};

it.each(Object.entries(ENDS))(
  'a session that %s leads to signing in, and back to the same page',
  async (_name, end) => {
    const { email, user } = await addPerson(server, { acme: 'operator' });
    const id = await newGroup(`of ${email}`);
    const page = await open(`/groups?open=${id}&sort=-NAME`, { email });
    await openForm(page);
    await nameIn(page).fill('typed before');
    let sockets = 0;
    page.on('websocket', () => (sockets += 1));
    const allow = await end(email, nodeId('User', user.id));
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Your session has ended. Sign in to go on with this page.').waitFor();
    await signInAgain(page, email, await allow());
    await page.getByRole('heading', { name: `of ${email}` }).waitFor();
    expect(new URL(page.url()).search).toBe(`?open=${id}&sort=-NAME`);
    await openForm(page);
    expect(await nameIn(page).inputValue()).toBe('typed before');
    await expect.poll(() => sockets).toBe(1);
    await rename(id, `followed ${email}`);
    await page.getByRole('heading', { name: `followed ${email}` }).waitFor();
    // None was opened with the refused session.
    expect(sockets).toBe(1);
  },
);

it('a session that goes on in another company shows the records of that company', async () => {
  const { email } = await addPerson(server, { acme: 'operator', beta: 'viewer' });
  await fleet.group(server.beta.client, 'group of beta');
  const page = await open('/groups', { email });
  await page.getByRole('button', { name: 'New group' }).waitFor();
  const elsewhere = await sessionOf(page);
  const { body } = await elsewhere.graphql<{ viewer: { companies: { company: { id: string } }[] } }>(
    '{ viewer { companies { company { id } } } }',
  );
  const id = body.data.viewer.companies[1]?.company.id;
  await changed(elsewhere, 'mutation ($id: ID!) { companySwitch(companyId: $id) { userErrors { code } } }', {
    id,
  });
  await page.getByRole('gridcell', { name: 'group of beta' }).waitFor();
  expect(await page.getByRole('button', { name: 'New group' }).count()).toBe(0);
});

/** A page of Acme's devices of a person whose session has gone on in Beta, unknown to the page: sockets do not pass. */
async function leftPage() {
  const { email } = await addPerson(server, { acme: 'operator', beta: 'operator' });
  const isExpected = (problem: string) => problem.includes('409');
  const page = await open('/devices', { email, isExpected });
  await page.routeWebSocket('**/graphql', () => undefined);
  await page.reload();
  await page.getByRole('row', { name: 'twin of acme' }).waitFor();
  await mutated(await sessionOf(page), 'companySwitch', {
    companyId: nodeId('Company', server.beta.caller.companyId),
  });
  return page;
}

describe('RU-81 a page whose company the session has left in another tab', () => {
  beforeAll(async () => {
    for (const name of ['acme', 'beta'] as const) {
      await fleet.device(server[name].client, `twin of ${name}`);
    }
  });

  it.each([
    [
      'changes no device of the same number',
      async (page: Page) => {
        await page.getByRole('button', { name: 'Actions for twin of acme' }).click();
        await page.getByRole('menuitem', { name: 'Disable' }).click();
      },
    ],
    ['exports nothing', (page: Page) => page.getByRole('button', { name: 'Export' }).click()],
  ])('%s, says so, and goes on in the other one', async (_name, act) => {
    const page = await leftPage();
    const failures: Promise<string | null>[] = [];
    page.on('download', (download) => failures.push(download.failure()));
    await act(page);
    await page.getByText('nothing was changed').waitFor();
    await page.getByRole('button', { name: 'Go on in the other company' }).click();
    await page.getByRole('row', { name: 'twin of beta' }).waitFor();
    await page.getByRole('banner').getByText('Beta Cards').waitFor();
    expect(await Promise.all(failures)).not.toContain(null);
    for (const { graphql } of [server.acme, server.beta]) {
      const { body } = await graphql('{ devices { nodes { enabled } } }');
      expect(body.data).toEqual({ devices: { nodes: [{ enabled: true }] } });
    }
  });

  it('follows at once, without the records in its address and with no draft of the other company', async () => {
    const { email } = await addPerson(server, { acme: 'operator', beta: 'operator' });
    const id = await newGroup('shown in Acme');
    await fleet.group(server.beta.client, 'shown in Beta');
    const page = await open(`/groups?open=${id}`, { email });
    await page.getByRole('button', { name: 'New group' }).click();
    await nameIn(page).fill('typed in Acme');
    const other = await page.context().newPage();
    await other.goto(`${server.url}/console/groups`);
    await other.getByRole('button', { name: 'Account menu' }).click();
    await other.getByRole('menuitemradio', { name: 'Beta Cards' }).click();
    await page.getByRole('banner').getByText('Beta Cards').waitFor();
    await page.getByRole('gridcell', { name: 'shown in Beta' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'New group' }).click();
    expect(await nameIn(page).inputValue()).toBe('');
  });
});

it('RU-82 a save without a connection says that nothing was saved, and is made once when it is pressed again', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const id = await newGroup('before the tunnel');
  const isExpected = (problem: string) => /ERR_INTERNET_DISCONNECTED|WebSocket/.test(problem);
  const page = await open(`/groups?open=${id}`, { email, isExpected });
  await openForm(page);
  await nameIn(page).fill('typed in the tunnel');
  let saves = 0;
  page.on('request', (request) => (saves += request.postData()?.includes('GroupUpdate') === true ? 1 : 0));
  await page.context().setOffline(true);
  await save(page);
  await page.getByText('Nothing was saved: there is no connection.').waitFor();
  expect(await page.getByText('Trying again by itself').count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByText('No connection to the server').waitFor({ state: 'hidden' });
  expect([await nameIn(page).inputValue(), saves]).toEqual(['typed in the tunnel', 1]);
  await save(page);
  await page.getByRole('heading', { name: 'typed in the tunnel' }).waitFor();
  expect(saves).toBe(2);
  const { body } = await server.acme.graphql(
    'query ($id: ID!) { node(id: $id) { ... on Group { revision name } } }',
    { id },
  );
  expect(body.data).toEqual({ node: { revision: 2, name: 'typed in the tunnel' } });
});

it('a server that restarts is found again: lists are up to date and followed, and nothing typed is lost', async () => {
  const { email } = await addPerson(server, { acme: 'operator' });
  const id = await newGroup('before the restart');
  let wasStopped = false;
  // The browser may report a refused connection after it has found the server again.
  const isExpected = (problem: string) => wasStopped && /net::ERR_CONNECTION_REFUSED|WebSocket/.test(problem);
  const page = await open(`/groups?open=${id}`, { email, isExpected });
  await openForm(page);
  await nameIn(page).fill('typed before');
  wasStopped = true;
  await server.app.stop(1_000);
  const line = page.getByRole('alert').filter({ hasText: 'No connection' });
  await line.waitFor();
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  restarted = await createServer(
    testConfig(server.place.url, { port: Number(new URL(server.url).port) }),
    createLogger('silent', { write: () => undefined }),
  );
  await restarted.units.write(server.acme.caller, (work) => createGroup(work, { name: 'made meanwhile' }));
  await restarted.start();
  await line.waitFor({ state: 'hidden' });
  await page.getByRole('gridcell', { name: 'made meanwhile' }).waitFor();
  await fleet.group(server.acme.client, 'made afterwards');
  await page.getByRole('gridcell', { name: 'made afterwards' }).waitFor();
  expect(await nameIn(page).inputValue()).toBe('typed before');
  await save(page);
  await page.getByRole('heading', { name: 'typed before' }).waitFor();
});
