import { Session, type Profiler } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { populate } from '../support/populated.js';
import { startServer, type TestServer } from '../support/server.js';
import { unique } from '../support/software.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let server: TestServer;
const session = new Session();
beforeAll(async () => {
  server = await startServer();
  await populate(server, server.acme, 3);
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(async () => {
  session.disconnect();
  await server.stop();
});

const isEntered = ({ functions }: Profiler.ScriptCoverage): boolean =>
  functions.some(({ ranges: [range] }) => (range?.count ?? 0) > 0);

/** Files of src with a function that each call of `use` calls, for example `src/resources/device/device.service.ts`. */
async function enteredBy(use: () => Promise<unknown>): Promise<readonly string[]> {
  let common: readonly string[] | null = null;
  // Timers of the server enter other files now and then.
  for (let time = 0; time < 5; time += 1) {
    // Counts begin anew.
    await session.post('Profiler.takePreciseCoverage');
    await use();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const entered = new Set(
      result.filter(isEntered).map(({ url }) => relative(ROOT, url.replace('file://', ''))),
    );
    common = (common ?? [...entered]).filter((file) => entered.has(file));
  }
  return (common ?? []).filter((file) => file.startsWith('src/')).sort();
}

const NESTED = `{ groups(first: 10) { nodes { name logicalNumbers(first: 10) { nodes { number
  appVersions(first: 5) { nodes { number files(first: 3) { nodes { name } } } } } } } } }`;

/** Numbers only fall. They are to become 35, 30, 32 and 45. */
const REQUESTS: Readonly<Record<string, readonly [most: number, use: () => Promise<unknown>]>> = {
  'POST /v1/devices': [94, () => server.acme.client.post('devices', { serial_number: unique() })],
  'GET /v1/devices': [69, () => server.acme.client.get('devices')],
  'GET /v1/transactions': [79, () => server.acme.client.get('transactions')],
  'the nested query': [89, () => server.acme.graphql(NESTED)],
};

it.each(Object.entries(REQUESTS))('%s enters few files', async (_request, [most, use]) => {
  // The first request prepares statements and plans.
  for (let time = 0; time < 3; time += 1) await use();
  const files = await enteredBy(use);
  expect(files.length).toBeGreaterThan(10);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});
