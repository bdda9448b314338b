import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium as playwright, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';

const require = createRequire(import.meta.url);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../node_modules/@sparticuz/chromium', import.meta.url));

/** Chromium comes as a package for Linux on x64; on other systems the installed Chrome is used. */
const HAS_PACKAGE = process.platform === 'linux' && process.arch === 'x64';

export async function launchBrowser(): Promise<Browser> {
  if (!HAS_PACKAGE) return await playwright.launch({ channel: 'chrome' });
  const folder = await unpackedChromium();
  const fonts = join(folder, 'fonts.conf');
  writeFileSync(
    fonts,
    `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`,
  );
  return await playwright.launch({
    executablePath: join(folder, 'chromium'),
    // Libraries and fonts of the package: the machine may have none.
    env: {
      ...(process.env as Record<string, string>),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: fonts,
    },
  });
}

/** Unpacks the package, 210 MB, once for each version; an interrupted run leaves nothing that a later one would use. */
async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const partial = mkdtempSync(`${folder}-`);
  await unpackInto(partial);
  try {
    renameSync(partial, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(partial, { recursive: true });
  }
  return folder;
}

/** The package unpacks into the folder for temporary files. */
async function unpackInto(folder: string): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    const { inflate } = await import('@sparticuz/chromium');
    const parts = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];
    await Promise.all(parts.map((part) => inflate(join(PACKAGE, 'bin', part))));
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/**
 * A page in a window of its own. `problems` has its errors, in the console (such as violations of the content security
 * policy) and of requests, and its requests to other hosts.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  /** Problems that the test makes, by the time that they are seen. */
  isExpected: (problem: string) => boolean = () => false,
  /** Runs in the page before its own scripts, whenever it is loaded. */
  script = '',
): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  if (script !== '') await page.addInitScript(script);
  const problems: string[] = [];
  const note = (problem: string): void => {
    if (!isExpected(problem)) problems.push(problem);
  };
  page.on('console', (message) => {
    // A page without a session learns so from a 401.
    const isSignedOut =
      message.text().includes('status of 401') && message.location().url.endsWith('/graphql');
    if (['error', 'warning'].includes(message.type()) && !isSignedOut) note(message.text());
  });
  const { host } = new URL(url);
  const watchHost = (each: { url(): string }): void => {
    const requested = new URL(each.url());
    if (requested.host !== '' && requested.host !== host) note(`requests ${each.url()}`);
  };
  page.on('request', watchHost).on('websocket', watchHost);
  page.on('pageerror', (error) => note(error.message));
  // The console names no more than the status.
  page.on('response', async (response) => {
    if (response.status() !== 400) return;
    const text = await response.text().catch(() => 'no body');
    note(`400 (Bad Request) of ${response.url()} for ${response.request().postData() ?? 'no body'}: ${text}`);
  });
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText ?? 'failed';
    // A page that is loaded again gives up what it was loading.
    if (error !== 'net::ERR_ABORTED') note(`${request.url()}: ${error}`);
  });
  await page.goto(url);
  return { page, problems };
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const OPTIONS = { resultTypes: ['violations'] };
/** Rules of axe-core whose results depend on the theme. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Serious and critical violations that axe-core finds in a part of the page, each as its rule, its message and the elements. */
async function violationsOf(page: Page, part: string, options: object = OPTIONS): Promise<readonly string[]> {
  // A page that was examined before has it still.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${AXE}; null`);
  const violations = await page.evaluate<{ text: string; impact: string }[]>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)}).then(({ violations }) => violations.map((each) => ({
      impact: each.impact,
      text: each.id + ': ' + each.help + ': ' + each.nodes.map((node) => node.target.join(' ')).join(', '),
    })))`,
  );
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ text }) => text);
}

/** Selects the whole page, or the panel beside its list. */
export const WHOLE = 'html';
export const PANEL = 'aside';
export const DESKTOP = { width: 1280, height: 800 };
export const TELEPHONE = { width: 390, height: 844 };

/** Words of headings, tables and buttons that are short enough for one line, and go on in the next one. Addresses are one word. */
const BROKEN_WORDS = `[...document.querySelectorAll('h1, h2, h3, th, td, dt, button, label')].flatMap((element) => {
  const found = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (node.parentElement.closest('code, .code, .unseen') !== null) continue;
    for (const { index, 0: word } of node.data.matchAll(/(?<![^\\s-])[^\\s-]{2,13}(?![^\\s-])/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
    }
  }
  return found;
})`;

/**
 * Flaws for people who use the page: serious findings of axe-core in a part of it, a page that is wider than its window, and
 * broken words.
 */
export async function flawsOf(page: Page, part = WHOLE): Promise<readonly string[]> {
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const broken = await page.evaluate<readonly string[]>(BROKEN_WORDS);
  return [
    ...(beyond > 0 ? [`${beyond} px wider than the window`] : []),
    ...broken.map((word) => `the word ${word} is broken`),
    ...(await violationsOf(page, part)),
  ];
}

/** Like `flawsOf`, in the light theme; in the dark one only flaws of colours, since all others are the same. */
export async function flawsInThemes(page: Page, part = WHOLE): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await flawsOf(page, part);
  return [...light.map((flaw) => `light: ${flaw}`), ...(await flawsInDark(page, part))];
}

export async function flawsInDark(page: Page, part = WHOLE): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violationsOf(page, part, { ...OPTIONS, runOnly: RULES_OF_COLOURS });
  return dark.map((flaw) => `dark: ${flaw}`);
}

export async function expectSound(page: Page): Promise<void> {
  expect(await flawsOf(page)).toEqual([]);
}
