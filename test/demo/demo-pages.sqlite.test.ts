import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launchBrowser, openPage, violationsOf } from '../support/browser.js';
import { demoIsReady, killDemo, launchDemo, type StartedDemo } from '../support/demo.js';

const run = promisify(execFile);

/** A desktop and a telephone. */
const WINDOWS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

let demo: StartedDemo;
let browser: Browser;
beforeAll(async () => {
  // A subscription shows the last event: simulated terminals would replace those of a test.
  demo = launchDemo('--no-simulate');
  [browser] = await Promise.all([launchBrowser(), demoIsReady(demo)]);
});
afterAll(async () => {
  await browser.close();
  await killDemo(demo);
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

describe('GraphiQL of the demo', () => {
  it.each(WINDOWS)('runs its query with the token in place, in a window of $width pixels', async (size) => {
    const { page, problems } = await openPage(browser, printed('/graphql'), size);
    expect(await runOperation(page)).toMatch(/"data": \{ "groups": \{ "totalCount": \d+, "nodes"/);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Show Documentation Explorer').click();
    await page.getByText('Root Types').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('keeps its instructions, its query and the token when it is loaded again', async () => {
    const { page, problems } = await openPage(browser, printed('/graphql'), WINDOWS[0]);
    await runOperation(page);
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
    const { page, problems } = await openPage(browser, address, WINDOWS[0]);
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

describe('the reference', () => {
  it.each(WINDOWS)('has nothing that axe-core finds serious, in a window of $width pixels', async (size) => {
    const { page, problems } = await openPage(browser, printed('/docs'), size);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it('has an example for each operation, which the link of the operation leads to', async () => {
    const { page } = await openPage(browser, printed('/docs'), WINDOWS[0]);
    await page.getByRole('navigation').getByRole('link', { name: 'List devices' }).click();
    const top = async (): Promise<number> =>
      await page.evaluate(`document.getElementById('listDevices').getBoundingClientRect().top`);
    expect(await top()).toBeCloseTo(0, 0);
    const example = await page.locator('#listDevices pre.command').textContent();
    const environment = { ...process.env, BASE_URL: new URL(page.url()).origin, TOKEN: tokenOf() };
    const { stdout } = await run('sh', ['-c', `${example ?? ''} -s`], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ pagination: { page: 1 } });
    await page.context().close();
  });

  it('has nothing that axe-core finds serious among fields and errors', async () => {
    const { page } = await openPage(browser, printed('/docs'), WINDOWS[1]);
    await page.locator('#listDevices summary').click();
    expect(await page.locator('#listDevices details').textContent()).toContain('429');
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.context().close();
  });
});
