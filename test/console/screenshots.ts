/**
 * Makes the pictures of the console in the README from the demo of the built program, with its simulated terminals. Not a
 * test.
 *
 *   npm run screenshots
 */
import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { launchBrowser, openPage } from '../support/browser.js';
import { addressOf, killPrograms, startCommand } from '../support/program.js';

const PICTURES = [
  { name: 'overview', path: '/overview', colorScheme: 'light' },
  { name: 'devices', path: '/devices', colorScheme: 'dark' },
] as const;
const FOLDER = fileURLToPath(new URL('../../src/docs/pictures/', import.meta.url));
/** Maximum bytes of both pictures together. */
const MOST_BYTES = 200_000;
/** The simulated terminals have reported and recorded transactions. */
const LIVELY_MS = 30_000;

const demo = startCommand(['demo', '--port', '0'], null);
const link = await addressOf(demo, /(http\S+\/console\/\S+)/);
await sleep(LIVELY_MS);
const browser = await launchBrowser();
const { page, problems } = await openPage(browser, link, { viewport: { width: 1280, height: 560 } });
await page.getByRole('main').getByRole('heading').first().waitFor();

let bytes = 0;
for (const { name, path, colorScheme } of PICTURES) {
  await page.emulateMedia({ colorScheme });
  await page.goto(new URL(`/console${path}`, link).href);
  await page.waitForLoadState('networkidle');
  const file = `${FOLDER}${name}.png`;
  await page.screenshot({ path: file, animations: 'disabled' });
  const { size } = statSync(file);
  process.stdout.write(`${file}: ${size} bytes\n`);
  bytes += size;
}
await browser.close();
await killPrograms();
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (bytes > MOST_BYTES || problems.length > 0) process.exitCode = 1;
