import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import type { Server } from '../../src/app/server.js';
import { DESKTOP, expectSound, launchBrowser, openPage, TELEPHONE } from '../support/browser.js';
import { OWN_PAGE, signedIn } from '../support/console.js';
import { changed } from '../support/dashboard.js';
import { fleet } from '../support/fleet.js';
import { openOtherNode, type startServer, type TestServer, useServer } from '../support/server.js';

export interface OpenOptions extends BrowserContextOptions {
  /** The person who is signed in, see `addPerson`. */
  readonly email?: string;
  /** Problems that the test makes, as `openPage` has it. */
  readonly isExpected?: (problem: string) => boolean;
}

/** A server for all tests of the file that calls this, and windows of a browser. */
export function useConsole(...options: Parameters<typeof startServer>) {
  const server = useServer(...options);
  return { server, open: useWindows(() => server.url) };
}

/** Like `useConsole`, at a host with a name: passkeys are for no IP address. */
export function useConsoleOfLocalhost() {
  const server = useServer();
  const url = () => server.url.replace('127.0.0.1', 'localhost');
  return { server, url, open: useWindows(url) };
}

/** Like `useConsole`, but on PostgreSQL a second node serves the pages, while clients and terminals ask `server`. */
export function useConsoleOfOtherNode() {
  const server = useServer();
  let other: Server | undefined;
  let url = '';
  beforeAll(async () => {
    other = await openOtherNode(server);
    url = other === undefined ? server.url : await other.start();
  });
  afterAll(() => other?.stop(1_000));
  return { server, open: useWindows(() => url) };
}

/** One browser for all files of this process, at whose end it is killed. */
let shared: Promise<Browser> | undefined;

async function launchShared(): Promise<Browser> {
  const browser = await launchBrowser();
  browser.on('disconnected', () => (shared = undefined));
  return browser;
}

/** Windows of a browser, on the pages of the node at `nodeUrl`. */
export function useWindows(nodeUrl: () => string) {
  let browser: Browser;
  beforeAll(async () => {
    browser = await (shared ??= launchShared());
  });

  /** Opens a path such as `/devices` in a window of its own, which must report no problem until the test ends. */
  return async (path: string, { email, isExpected, ...window }: OpenOptions = {}): Promise<Page> => {
    const node = nodeUrl();
    const state = email === undefined ? {} : { storageState: await stateOf(node, email, window.userAgent) };
    const script = email === undefined ? '' : NOTE_SESSION;
    const { page, problems } = await openPage(
      browser,
      `${node}/console${path}`,
      { ...state, ...window },
      isExpected,
      script,
    );
    onTestFinished(async () => {
      await takeScreenshot(page);
      await page.context().close();
      expect(problems).toEqual([]);
    });
    return page;
  };
}

/** The window with the longest texts on the least room. */
export const PORTUGUESE_TELEPHONE = { locale: 'pt-BR', viewport: TELEPHONE } as const;

/** Each language and size once, and as options of `open`. `flawsInThemes` looks at both themes. */
export const WINDOWS = [
  { name: 'English, desktop', locale: 'en-US', viewport: DESKTOP },
  { name: 'Portuguese, telephone', ...PORTUGUESE_TELEPHONE },
] as const;

/** Like `expectSound`, on a desktop and on a telephone, in which the page is left. */
export async function expectSoundInSizes(page: Page): Promise<void> {
  for (const size of [DESKTOP, TELEPHONE]) {
    await page.setViewportSize(size);
    await expectSound(page);
  }
}

/** The cookie of a new session of a person, as a browser keeps it. */
async function stateOf(
  url: string,
  email: string,
  userAgent = OWN_PAGE['user-agent'],
): Promise<NonNullable<BrowserContextOptions['storageState']>> {
  const { cookie } = await signedIn(url, email, { ...OWN_PAGE, 'user-agent': userAgent });
  const [name = '', value = ''] = cookie?.split('=') ?? [];
  const { hostname: domain } = new URL(url);
  const rules = { path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' as const };
  return { cookies: [{ name, value, domain, ...rules }], origins: [] };
}

/**
 * Pages note in the browser that there is a session, since scripts cannot see the cookie. Once in a window, so that it
 * stays signed out. For `storageState`, the browser would open another page.
 */
const NOTE_SESSION = `try {
  if (sessionStorage.getItem('noted') === null) localStorage.setItem('signed-in', 'yes');
  sessionStorage.setItem('noted', 'yes');
} catch {}`;

/** Addresses of the pages in the menu. */
export async function addressesIn(page: Page): Promise<readonly string[]> {
  await page.locator('nav a').first().waitFor({ state: 'attached' });
  return await page.evaluate(`[...document.querySelectorAll('nav a')].map((link) => link.href)`);
}

let pictures = 0;

/** With SCREENSHOTS, the path of a folder, each test leaves pictures of its pages there as they are at its end. */
async function takeScreenshot(page: Page): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS === undefined || page.isClosed()) return;
  const name = expect.getState().currentTestName?.replaceAll(/[^\w]+/g, '-') ?? '';
  await page.screenshot({ path: join(SCREENSHOTS, `${++pictures}-${name}.png`) });
}

/** Types a part of a name into a field for records, and chooses the record. */
export async function chosen(
  within: Page | Locator,
  label: string,
  typed: string,
  name: string | RegExp,
): Promise<void> {
  const page = 'page' in within ? within.page() : within;
  await within.getByRole('combobox', { name: label }).fill(typed);
  await page.getByRole('option', typeof name === 'string' ? { name, exact: true } : { name }).click();
  // While it closes, all else is hidden.
  await page.getByRole('listbox').waitFor({ state: 'detached' });
}

/** Creates logical numbers, and a filter of them that all members may use. */
export async function savedNumbers(
  { acme }: Pick<TestServer, 'acme'>,
  name: string,
  numbers: readonly string[],
): Promise<void> {
  for (const number of numbers) await fleet.logicalNumber(acme.client, number);
  const input = { name, kind: 'LOGICAL_NUMBER', filter: { number: { in: numbers } }, shared: true };
  const create = `mutation ($input: SavedFilterCreateInput!) {
    savedFilterCreate(input: $input) { userErrors { message } } }`;
  expect(await changed(acme, create, { input })).toEqual({ userErrors: [] });
}

/** Chooses one of a few values. */
export async function picked(within: Page | Locator, label: string, value: string): Promise<void> {
  await within.getByRole('combobox', { name: label, exact: true }).selectOption({ label: value });
}
