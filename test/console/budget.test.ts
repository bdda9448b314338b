import { expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { addPerson } from '../support/people.js';
import { useConsole } from './pages.js';

const { server, open } = useConsole({ rateLimitPerHour: 3_600 });

/** Changes of a busy minute, one every 200 ms, and those while the list is hidden. */
const CHANGES = 300;
const HIDDEN = 30;
/** Requests of a list that follows a busy fleet for a minute: 15, 8 more in the first one, and the last 3 together. */
const MOST = 26;

it('a list follows a busy fleet within the budget of an hour, and sends nothing while it is hidden', async () => {
  const { email } = await addPerson(server, { acme: 'viewer' });
  const page = await open('/groups?sort=-UPDATED_AT', { email });
  await page.clock.install();
  await page.reload();
  await page.getByText('None yet.').waitFor();
  // The time of the page passes by `runFor` alone, however long the requests of the test take.
  await page.clock.pauseAt(Date.now() + 60_000);
  let requests = 0;
  page.on('request', (request) => (requests += request.url().endsWith('/graphql') ? 1 : 0));
  const requestsDuring = async (changes: number, name: string): Promise<number> => {
    requests = 0;
    for (let n = 0; n < changes; n += 1) {
      await fleet.group(server.acme.client, `${name} ${n}`);
      await page.clock.runFor(200);
    }
    return requests;
  };
  const sent = await requestsDuring(CHANGES, 'seen');
  expect(sent).toBeGreaterThan(5);
  expect(sent).toBeLessThanOrEqual(MOST);
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true })`);
  await page.clock.runFor(60_000);
  expect(await requestsDuring(HIDDEN, 'hidden')).toBe(0);
  await page.evaluate(`Object.defineProperty(document, 'hidden', { value: false });
    document.dispatchEvent(new Event('visibilitychange'))`);
  await page.getByText(`${CHANGES + HIDDEN} records`).waitFor();
});
