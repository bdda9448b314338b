import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

import { readDocument } from '../documents/markdown.js';
import { launchBrowser, openPage } from '../support/browser.js';
import { demoIsReady } from '../support/demo.js';
import { killPrograms, startCommand } from '../support/program.js';

const [, PAGE = ''] = /^```html\n([^]*?)^```/m.exec(readDocument('src/docs/use/wallboard.md')) ?? [];

/** A web server whose pages are all the wallboard. */
async function screens(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('the page of use/wallboard.md, on another web server, shows the figures, and says when there are none', async () => {
  const origin = await screens();
  const options = { environment: { ALLOWED_ORIGINS: origin } };
  const demo = startCommand(['demo', '--port', '0', '--no-simulate'], null, options);
  onTestFinished(killPrograms);
  await demoIsReady(demo);
  const [, url = ''] = /listens on (\S+)/.exec(demo.output()) ?? [];
  const [, token = ''] = /Token of the administrator of .*: (\S+)/.exec(demo.output()) ?? [];
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());

  const { page, problems } = await openPage(browser, `${origin}/wallboard.html#${url}|${token}`);
  const tiles = page.locator('main div');
  await expect.poll(() => tiles.count()).toBe(4);
  expect(await tiles.allTextContents()).toEqual([
    expect.stringMatching(/^Online\d+ \/ 197$/),
    'Open alerts0',
    expect.stringMatching(/^Approved today\d+$/),
    expect.stringMatching(/^Sold todayR\$\s[\d.,]+$/),
  ]);
  expect(
    problems.filter((problem) => !problem.startsWith('requests ') && !problem.includes('favicon')),
  ).toEqual([]);

  await demo.end('SIGKILL');
  await page.reload();
  await expect.poll(() => tiles.allTextContents()).toEqual([expect.stringMatching(/^No figures./)]);
});
