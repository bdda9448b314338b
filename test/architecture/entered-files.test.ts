import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { ingestRow, ndjson, NDJSON } from '../support/line-stream.js';
import { startServer, type TestServer } from '../support/server.js';
import { newTerminal } from '../support/terminals.js';

/** Longer than the delays of what a request leaves for later, such as the time at which its token was used. */
const LATER_MS = 350;
/** Longer than the period of the timers that look at storage: on a busy machine, each request meets one of them. */
const TIMERS_MS = 600;
const SRC = `${resolve(import.meta.dirname, '../../src')}/`;

let server: TestServer;
let terminalToken: string;
const session = new Session();
beforeAll(async () => {
  server = await startServer();
  const { client } = server.acme;
  const group = await fleet.group(client, 'g');
  const appVersionIds = await fleet.appVersions(client, 2, [group]);
  await fleet.logicalNumber(client, '1', { group_id: group, app_version_ids: appVersionIds });
  ({ token: terminalToken } = await newTerminal(server.acme, 'T-1'));
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  await server.stop();
});

/** The files of src of which a function runs while a request is answered, and not what it leaves for later. */
async function filesDuring(request: () => Promise<unknown>): Promise<Set<string>> {
  await sleep(LATER_MS);
  await server.app.steps.idle();
  await session.post('Profiler.takePreciseCoverage');
  await request();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = result.filter(({ functions }) =>
    functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  );
  const paths = entered.map(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url));
  return new Set(paths.filter((path) => path.startsWith(SRC)).map((path) => path.slice(SRC.length)));
}

/**
 * The files that each of five equal requests enters, without those that timers enter meanwhile, also of earlier tests
 * in the same process. The first request is not counted.
 */
async function filesEnteredBy(request: (n: number) => Promise<unknown>): Promise<readonly string[]> {
  await request(0);
  let files = await filesDuring(() => request(1));
  for (let n = 2; n <= 5; n += 1) {
    const again = await filesDuring(() => request(n));
    files = new Set([...files].filter((file) => again.has(file)));
  }
  const ofTimers = await filesDuring(() => sleep(TIMERS_MS));
  return [...files].filter((file) => !ofTimers.has(file)).sort();
}

async function sendTransaction(n: number): Promise<void> {
  const response = await fetch(`${server.url}/terminal/v1/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${terminalToken}`, 'content-type': NDJSON },
    body: ndjson([ingestRow(n, { serial_number: undefined, logical_number: undefined })]),
  });
  expect(await response.text()).toContain('created');
}

const NESTED = `{ groups(first: 10) { nodes { name logicalNumbers(first: 10) { nodes { number
  appVersions(first: 5) { nodes { number files(first: 3) { nodes { name } } } } } } } } }`;

/** The page that follows a request, and the files that it names: all in code that ends in `.ts`. */
const PAGE = readFileSync(`${SRC}request.md`, 'utf8');
const NAMED: readonly string[] = Array.from(PAGE.matchAll(/`([\w./-]+\.ts)`/g), ([, file = '']) => file);

describe('files that a request enters', () => {
  const entered = new Set<string>();

  it.each<[string, number, (n: number) => Promise<unknown>]>([
    ['POST /v1/devices', 35, (n) => server.acme.client.post('devices', { serial_number: `S-${n}` })],
    ['GET /v1/devices', 27, () => server.acme.client.get('devices')],
    ['GET /v1/transactions', 30, () => server.acme.client.get('transactions')],
    ['the nested query', 39, () => server.acme.graphql(NESTED)],
    ["a terminal's transaction", 41, sendTransaction],
  ])('%s: at most %i', async (_, most, request) => {
    const files = await filesEnteredBy(request);
    for (const file of files) entered.add(file);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
  });

  it('are on the page about requests, src/request.md, and all files of that exist', () => {
    expect([...entered].filter((file) => !NAMED.includes(file))).toEqual([]);
    expect(NAMED.filter((file) => !existsSync(SRC + file))).toEqual([]);
  });
});
