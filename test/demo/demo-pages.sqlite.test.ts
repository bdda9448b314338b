import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { DESKTOP, expectSound, launchBrowser, openPage, TELEPHONE } from '../support/browser.js';
import { createClient } from '../support/client.js';
import { demoIsReady, launchDemo } from '../support/demo.js';
import { killPrograms, type Started } from '../support/program.js';

const run = promisify(execFile);

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

/** Opens a page, which must report no problem until it is closed. */
async function opened(address: string, size: typeof DESKTOP): Promise<Page> {
  const { page, problems } = await openPage(browser, address, { viewport: size });
  onTestFinished(async () => {
    expect(problems).toEqual([]);
    await page.context().close();
  });
  return page;
}

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
async function tryGraphiql(size: typeof DESKTOP): Promise<Page> {
  const page = await opened(printed('/graphql'), size);
  expect(await runOperation(page)).toMatch(/"data": \{ "groups": \{ "totalCount": \d+, "nodes"/);
  await expectSound(page);
  await page.getByLabel('Show Documentation Explorer').click();
  await page.getByText('Root Types').waitFor();
  await expectSound(page);
  return page;
}

describe('GraphiQL of the demo', () => {
  it('runs its query with the token in place on a telephone', async () => {
    await tryGraphiql(TELEPHONE);
  });

  it('does so on a desktop, and keeps its instructions, its query and the token when it is loaded again', async () => {
    const page = await tryGraphiql(DESKTOP);
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
    await expectSound(page);
  });

  it('shows each event of a subscription', async () => {
    const text = 'subscription { ledgerAppended { action entityType after } }';
    const address = `${printed('/graphql')}?query=${encodeURIComponent(text)}`;
    const page = await opened(address, DESKTOP);
    const stream = page.waitForResponse((response) => response.url().includes('/graphql/stream'));
    await page.click('.graphiql-execute-button');
    expect((await stream).status()).toBe(200);
    const client = createClient(new URL(address).origin, tokenOf());
    for (const name of ['first of two', 'second of two']) {
      expect((await client.post('groups', { name })).status).toBe(201);
      expect(await resultWith(page, name)).toContain('"entityType": "group"');
    }
  });
});

describe('the reference', () => {
  it('has an example for each operation, which the link of the operation leads to', async () => {
    const page = await opened(printed('/docs'), DESKTOP);
    await expectSound(page);
    await page.getByRole('navigation').getByRole('link', { name: 'List devices' }).click();
    const top = async (): Promise<number> =>
      await page.evaluate(`document.getElementById('listDevices').getBoundingClientRect().top`);
    expect(await top()).toBeCloseTo(0, 0);
    const example = await page.locator('#listDevices pre.command').textContent();
    const environment = { ...process.env, BASE_URL: new URL(page.url()).origin, TOKEN: tokenOf() };
    const { stdout } = await run('sh', ['-c', `${example ?? ''} -s`], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ pagination: { page: 1 } });
  });

  it('shows fields and errors of an operation on a telephone', async () => {
    const page = await opened(printed('/docs'), TELEPHONE);
    await expectSound(page);
    await page.locator('#listDevices summary').click();
    expect(await page.locator('#listDevices details').textContent()).toContain('429');
    await expectSound(page);
  });
});
