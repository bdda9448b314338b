import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launchBrowser, openPage, violationsOf } from '../support/browser.js';
import { demoIsReady, launchDemo } from '../support/demo.js';
import { killPrograms, type Started } from '../support/program.js';

const run = promisify(execFile);

interface Size {
  readonly width: number;
  readonly height: number;
}

const DESKTOP: Size = { width: 1280, height: 800 };
const TELEPHONE: Size = { width: 390, height: 844 };

let demo: Started;
let browser: Browser;
beforeAll(async () => {
  // A subscription shows the last event: simulated terminals would replace those of a test.
  demo = launchDemo('--no-simulate');
  [browser] = await Promise.all([launchBrowser(), demoIsReady(demo)]);
});
afterAll(async () => {
  await browser.close();
  await killPrograms();
});

/** The address of a page as the demo prints it. */
const printed = (path: string): string =>
  new RegExp(`^ {2}(http\\S+${path}) `, 'm').exec(demo.output())?.[1] ?? 'not printed';
const tokenOf = (): string => /Token of .*: (\S+)/.exec(demo.output())?.[1] ?? '';

/** Pixels by which the page is wider than its window. */
const overflow = async (page: Page): Promise<number> =>
  await page.evaluate('document.documentElement.scrollWidth - innerWidth');

/** Runs the operation in the editor; resolves to the text of its result. */
async function runOperation(page: Page): Promise<string> {
  await page.click('.graphiql-execute-button');
  return await resultWith(page, 'Lojas');
}

/** The text of the result, once it has `part`. */
async function resultWith(page: Page, part: string): Promise<string> {
  const result = async (): Promise<string> => {
    const text = await page.textContent('.graphiql-response');
    // The editor has no-break spaces, and line breaks where it wraps.
    return text?.replaceAll(/\s+/g, ' ') ?? '';
  };
  await expect.poll(result).toContain(part);
  return await result();
}

/** Opens GraphiQL, runs its query, and looks at its documentation. */
async function tryGraphiql(size: Size): ReturnType<typeof openPage> {
  const opened = await openPage(browser, printed('/graphql'), size);
  const { page } = opened;
  expect(await runOperation(page)).toMatch(/"data": \{ "groups": \{ "totalCount": \d+, "nodes"/);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel('Show Documentation Explorer').click();
  await page.getByText('Root Types').waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(page)).toEqual([]);
  return opened;
}

describe('GraphiQL of the demo', () => {
  it('runs its query with the token in place on a telephone', async () => {
    const { page, problems } = await tryGraphiql(TELEPHONE);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('does so on a desktop, and keeps its instructions, its query and the token when it is loaded again', async () => {
    const { page, problems } = await tryGraphiql(DESKTOP);
    // Tabs are stored half a second after a change.
    const stored = (): Promise<unknown> => page.evaluate(`localStorage.getItem('graphiql:tabState')`);
    await expect.poll(stored).toContain('appVersions');
    await page.reload();
    await page.waitForSelector('.graphiql-execute-button');
    expect(await page.textContent('header')).toContain('The token of the demo is under Headers');
    expect(await page.locator('.graphiql-tab').count()).toBe(1);
    expect(await page.textContent('.graphiql-editor-tool')).toContain(tokenOf());
    expect(await runOperation(page)).toContain('"appVersions"');
    await page.click('[aria-label="New tab"]');
    await expect.poll(() => page.locator('.graphiql-tab').count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

describe('a subscription in GraphiQL', () => {
  it('shows each event', async () => {
    const text = 'subscription { ledgerAppended { action entityType after } }';
    const address = `${printed('/graphql')}?query=${encodeURIComponent(text)}`;
    const { page, problems } = await openPage(browser, address, DESKTOP);
    const opened = page.waitForResponse((response) => response.url().includes('/graphql/stream'));
    await page.click('.graphiql-execute-button');
    expect((await opened).status()).toBe(200);
    const { origin } = new URL(address);
    for (const name of ['first of two', 'second of two']) {
      const query = `mutation { groupCreate(input: { name: "${name}" }) { userErrors { message } } }`;
      const reply = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokenOf()}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      expect(await reply.text()).toContain('"userErrors":[]');
      expect(await resultWith(page, name)).toContain('"entityType": "group"');
    }
    expect(problems).toEqual([]);
    await page.context().close();
  });
});

/** Opens the reference, in which axe-core must find nothing serious. */
async function openReference(size: Size): ReturnType<typeof openPage> {
  const opened = await openPage(browser, printed('/docs'), size);
  expect(await overflow(opened.page)).toBeLessThanOrEqual(0);
  expect(await violationsOf(opened.page)).toEqual([]);
  return opened;
}

describe('the reference', () => {
  it('has an example for each operation, which the link of the operation leads to', async () => {
    const { page, problems } = await openReference(DESKTOP);
    await page.getByRole('navigation').getByRole('link', { name: 'List devices' }).click();
    const top = async (): Promise<number> =>
      await page.evaluate(`document.getElementById('listDevices').getBoundingClientRect().top`);
    expect(await top()).toBeCloseTo(0, 0);
    const example = await page.locator('#listDevices pre.command').textContent();
    const environment = { ...process.env, BASE_URL: new URL(page.url()).origin, TOKEN: tokenOf() };
    const { stdout } = await run('sh', ['-c', `${example ?? ''} -s`], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ pagination: { page: 1 } });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('shows fields and errors of an operation on a telephone', async () => {
    const { page, problems } = await openReference(TELEPHONE);
    await page.locator('#listDevices summary').click();
    expect(await page.locator('#listDevices details').textContent()).toContain('429');
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });
});
