import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

import { DESKTOP, launchBrowser, openPage, TELEPHONE } from '../support/browser.js';
import { type startServer, useServer } from '../support/server.js';

/** A server and a browser for all tests of the file that calls this. */
export function useConsole(...options: Parameters<typeof startServer>) {
  const server = useServer(...options);
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  /** Opens a path such as `/devices` in a window of its own, which must report no problem until the test ends. */
  const open = async (path: string, window: BrowserContextOptions = {}): Promise<Page> => {
    const { page, problems } = await openPage(browser, `${server.url}/console${path}`, window);
    onTestFinished(async () => {
      await takeScreenshot(page);
      await page.context().close();
      expect(problems).toEqual([]);
    });
    return page;
  };
  return { server, open };
}

/** Each theme, language and size once, and as options of `open`. */
export const WINDOWS = [
  { name: 'light, English, desktop', locale: 'en-US', colorScheme: 'light', viewport: DESKTOP },
  { name: 'dark, Portuguese, telephone', locale: 'pt-BR', colorScheme: 'dark', viewport: TELEPHONE },
  { name: 'dark, English, desktop', locale: 'en-US', colorScheme: 'dark', viewport: DESKTOP },
  { name: 'light, Portuguese, telephone', locale: 'pt-BR', colorScheme: 'light', viewport: TELEPHONE },
] as const;

let pictures = 0;

/** With SCREENSHOTS, the path of a folder, each test leaves pictures of its pages there as they are at its end. */
async function takeScreenshot(page: Page): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS === undefined || page.isClosed()) return;
  const name = expect.getState().currentTestName?.replaceAll(/[^\w]+/g, '-') ?? '';
  await page.screenshot({ path: join(SCREENSHOTS, `${++pictures}-${name}.png`) });
}
