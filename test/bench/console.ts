/**
 * The console in a real browser, on a large fleet: bytes and time of the first load, time of interactions from the input
 * to the next picture, and pictures without rows while a list is scrolled. Not a test.
 *
 *   npm run bench:console -- [--devices N] [--seconds N]
 *
 * Exits with 1 if the first load has more than 200 kB, or an interaction takes 100 ms or more.
 */
import type { CDPSession, Page } from 'playwright-core';

import { launchBrowser, openPage } from '../support/browser.js';
import { runProgram } from '../support/program.js';
import { buildDatabase } from './data.js';
import { numbersOf, print, printTable, startServer, withDatabaseFile } from './servers.js';

const { devices: DEVICES, seconds: SECONDS } = numbersOf({ devices: 100_000, seconds: 20 });
const [FIRST_LOAD_BYTES, INTERACTION_MS] = [200_000, 100] as const;
const PASSWORD = 'correct horse battery staple';
const EMAIL = 'console@bench.example';
const ROW = '[role=grid] [role=row][data-index]';

/** Adds an administrator who can sign in. */
async function addUser(databaseUrl: string): Promise<void> {
  const given = { company: 'bench', email: EMAIL, name: 'Bench', role: 'admin' };
  const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const added = await runProgram(['user', 'add', ...options, '--password-stdin'], databaseUrl, {
    input: PASSWORD,
  });
  if (added.code !== 0) throw new Error(added.output);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator(ROW).first().waitFor();
}

/** Counts the bytes of bodies of responses below /console as they are sent, compressed. */
async function countBytes(network: CDPSession): Promise<() => number> {
  const headers = new Map<string, number>();
  let bytes = 0;
  network.on('Network.responseReceived', ({ requestId, response: { url, encodedDataLength } }) => {
    if (new URL(url).pathname.startsWith('/console')) headers.set(requestId, encodedDataLength);
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength - (headers.get(requestId) ?? encodedDataLength);
  });
  await network.send('Network.enable');
  return () => bytes;
}

/** Loads a page without the files that the browser has, until it shows `content`; resolves to the bytes. */
async function measureFirstLoad(page: Page, path: string, content: string): Promise<number> {
  const network = await page.context().newCDPSession(page);
  const bytesOf = await countBytes(network);
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  const started = performance.now();
  await page.goto(new URL(`/console${path}`, page.url()).href);
  await page.locator(content).first().waitFor();
  const shown = (performance.now() - started).toFixed(0);
  await page.waitForLoadState('networkidle');
  await network.detach();
  print(`First load of ${path}: ${(bytesOf() / 1000).toFixed(0)} kB, shown after ${shown} ms`);
  return bytesOf();
}

/** Keeps the longest time from an input to the next picture, in milliseconds; the browser reports 16 and more. */
const OBSERVE = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'event', durationThreshold: 16 });`;

const INTERACTIONS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  // At its left, since the middle may be the link of another record.
  'open a record': async (page) =>
    await page
      .locator(ROW)
      .nth(3)
      .click({ position: { x: 60, y: 20 } }),
  'close it': async (page) => await page.keyboard.press('Escape'),
  'next row': async (page) => await page.keyboard.press('ArrowDown'),
  'sort a column': async (page) => await page.locator('[role=columnheader] button').first().click(),
  'sort it the other way': async (page) => await page.locator('[role=columnheader] button').first().click(),
  'open the palette': async (page) => await page.keyboard.press('Control+k'),
  'type in it': async (page) => await page.keyboard.type('IM500'),
  'clear its text': async (page) => await page.keyboard.press('Escape'),
  'close the palette': async (page) => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  },
};

/** The longest time of each interaction, of three rounds. */
async function measureInteractions(page: Page): Promise<number> {
  const longest = new Map<string, number>();
  await page.evaluate(OBSERVE);
  for (let round = 0; round < 3; round += 1) {
    for (const [name, interact] of Object.entries(INTERACTIONS)) {
      await page.evaluate('longest = 0');
      await interact(page);
      // Time to draw the consequences, and to report the events.
      await page.waitForTimeout(500);
      longest.set(name, Math.max(longest.get(name) ?? 0, await page.evaluate<number>('longest')));
    }
  }
  printTable([['Interaction', 'ms'], ...[...longest].map(([name, ms]) => [name, ms.toFixed(0)])]);
  return Math.max(...longest.values());
}

/** Scrolls by 15 rows a picture, and looks at the middle of the list in each: has it a row? */
const SCROLL = (milliseconds: number): string => `new Promise((resolve) => {
  const grid = document.querySelector('[role=grid]');
  const { left, top, width, height } = grid.getBoundingClientRect();
  const result = { frames: 0, empty: 0, slow: 0, rows: 0 };
  const started = performance.now();
  let last = started;
  const look = (now) => {
    result.frames += 1;
    if (now - last > 50) result.slow += 1;
    last = now;
    const row = document.elementFromPoint(left + width / 2, top + height / 2)?.closest('[role=row]');
    if (row == null) result.empty += 1;
    else result.rows = Math.max(result.rows, Number(row.dataset.index));
    if (now - started > ${milliseconds}) { resolve(result); return; }
    grid.scrollBy(0, 600);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

interface Scrolled {
  readonly frames: number;
  readonly empty: number;
  /** Pictures that took more than 50 ms. */
  readonly slow: number;
  /** Index of the last row that was seen. */
  readonly rows: number;
}

async function measureScrolling(page: Page): Promise<void> {
  const { frames, empty, slow, rows } = await page.evaluate<Scrolled>(SCROLL(SECONDS * 1_000));
  print(
    `Scrolled to row ${rows} in ${SECONDS} s: ${frames} pictures, ${empty} without rows, ${slow} after 50 ms`,
  );
}

await withDatabaseFile(async (file) => {
  await buildDatabase(file, { devices: DEVICES, transactions: 100_000, wide: 100, others: 1 });
  await addUser(`file:${file}`);
  const { url } = await startServer(`file:${file}`, { RATE_LIMIT_PER_HOUR: '0' });
  const browser = await launchBrowser();
  const { page, problems } = await openPage(browser, `${url}/console/devices`, {
    viewport: { width: 1280, height: 800 },
  });
  await signIn(page);
  const loads = [
    await measureFirstLoad(page, '/overview', 'main .chart-bars'),
    await measureFirstLoad(page, '/devices', ROW),
  ];
  const longest = await measureInteractions(page);
  await measureScrolling(page);
  await browser.close();
  for (const problem of problems) print(problem);
  if (Math.max(...loads) > FIRST_LOAD_BYTES || longest >= INTERACTION_MS || problems.length > 0)
    process.exitCode = 1;
});
