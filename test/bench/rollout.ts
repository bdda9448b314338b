import Sqlite from 'better-sqlite3';
/**
 * Measures a rollout to all terminals of a company, on a SQLite file and on PostgreSQL with the same records: its draw and
 * waves beside others who read and write, the list of terminals by state, `reach`, and a decision about it. Not a test.
 *
 *   npm run bench:rollout -- [--devices N] [--transactions N] [--lists N]
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { createServer } from '../../src/app/server.js';
import { takeRolloutStep } from '../../src/domain/software/rollout/rollout-step.service.js';
import { DAY, MINUTE } from '../../src/platform/clock.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createLogger } from '../../src/platform/logger.js';
import { killPrograms } from '../support/program.js';
import { at, beside, ofOthers, PAUSE_MS, timed } from './beside.js';
import { onBoth } from './both-databases.js';
import { buildDatabase, GROUPS, serialOf } from './data.js';
import { numbersOf, print, printTable, startServer, withDatabaseFile } from './servers.js';

const { devices, transactions, lists } = numbersOf({ devices: 100_000, transactions: 100_000, lists: 200 });
const DECISIONS = 20;
const TOKEN_SECRET = '0123456789abcdef'.repeat(4);
const HEADINGS = ['', 'seconds', 'p50 ms', 'p95 ms', 'others', 'p95 ms', 'most ms'];

const idOf = (type: string, id: number): string => Buffer.from(`${type}:${id}`).toString('base64url');
const random = (below: number): number => Math.floor(Math.random() * below);

const CREATE = `mutation ($input: RolloutCreateInput!) {
  rolloutCreate(input: $input, target: { all: true }) { rollout { id } userErrors { path message } } }`;
const WAVES = 'query ($id: ID!) { rollout(id: $id) { state waves { size waiting } } }';
const LIST = `query ($id: ID!, $state: SoftwareState!) {
  appVersion(id: $id) { terminals(first: 50, filter: { state: $state }) { nodes { since device { serialNumber } } } } }`;
const REACH = `query ($id: ID!) {
  appVersion(id: $id) { reach { granted downloaded current installed proven failed } } }`;

interface Shown {
  readonly state: string;
  readonly waves: readonly { readonly size: number; readonly waiting: number }[];
}

/** Measures on a server; returns the rows of the table. */
async function measure(databaseUrl: string, token: string): Promise<string[][]> {
  const { url } = await startServer(databaseUrl, { TOKEN_SECRET });
  const send = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const given = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, { method, headers, body: given });
    const text = await response.text();
    if (!response.ok || text.startsWith('{"errors"')) throw new Error(`${path}: ${text.slice(0, 500)}`);
    return text;
  };
  const ask = async <T>(query: string, variables: object): Promise<T> =>
    (JSON.parse(await send('/graphql', { query, variables })) as { readonly data: T }).data;
  const others = (): Promise<string> =>
    Math.random() < 0.5
      ? send(`/v1/devices/${1 + random(devices)}`)
      : send(`/v1/devices/${serialOf(random(devices))}`, { enabled: true }, 'PUT');
  const rows: string[][] = [];
  const step = async (name: string, work: () => Promise<readonly number[]>): Promise<void> => {
    const { result, seconds, times } = await beside(work, others);
    const own = result.length === 0 ? ['', ''] : [at(result, 0.5), at(result, 0.95)];
    rows.push([name, seconds, ...own, ...ofOthers(times)]);
  };

  const version = await newVersion(send);
  let id = '';
  const until = async (isReached: (shown: Shown) => boolean): Promise<readonly number[]> => {
    for (;;) {
      const { rollout } = await ask<{ readonly rollout: Shown }>(WAVES, { id });
      if (isReached(rollout)) return [];
      await sleep(PAUSE_MS);
    }
  };
  const isGiven = (shown: Shown, wave: number): boolean => shown.waves[wave]?.waiting === 0;
  await step('created and drawn, first wave of 10 % given', async () => {
    const input = { name: 'bench', appVersionIds: [version], waves: [{ percent: 10 }, {}] };
    const reply = await ask<{ readonly rolloutCreate: { readonly rollout: { readonly id: string } | null } }>(
      CREATE,
      { input },
    );
    if (reply.rolloutCreate.rollout === null) throw new Error(JSON.stringify(reply));
    ({ id } = reply.rolloutCreate.rollout);
    return await until((shown) => isGiven(shown, 0));
  });
  await step('second wave of 90 % given', () => until((shown) => isGiven(shown, 1)));
  for (const state of ['GRANTED', 'PROVEN']) {
    await step(`terminals that are ${state}, 50 of all`, () =>
      repeated(lists, () => ask(LIST, { id: version, state })),
    );
  }
  await step('reach', () => repeated(lists, () => ask(REACH, { id: version })));
  await killPrograms();
  const { parts, decisions } = await decide(databaseUrl);
  for (const [name, times] of [
    ['a part of the count of payments, alone', parts],
    ['a decision, alone', decisions],
  ] as const) {
    rows.push([name, '', at(times, 0.5), at(times, 0.95), '', '', '']);
  }
  return rows;
}

/** Times of requests one after the other. */
async function repeated(count: number, request: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) times.push(await timed(request));
  return times;
}

/** A version that is attached to all groups; its global id. */
async function newVersion(send: (path: string, body: object) => Promise<string>): Promise<string> {
  const groupIds = Array.from({ length: GROUPS }, (_, n) => n + 1);
  const version = { number: 'bench', bytecode: 'eA==', group_ids: groupIds };
  const reply = JSON.parse(await send('/v1/apps/1/versions', version)) as {
    readonly app_version: { readonly id: number };
  };
  return idOf('AppVersion', reply.app_version.id);
}

/** Milliseconds that the parts of a last count of payments, and decisions about the rollout take, without a server. */
async function decide(databaseUrl: string) {
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead), elapsed: () => performance.now() };
  const config = readConfig({ DATABASE_URL: databaseUrl, TOKEN_SECRET });
  const app = await createServer(config, createLogger('silent', process.stdout), {
    background: false,
    clock,
  });
  try {
    const step = () => takeRolloutStep(app.units, 0);
    ahead += 9 * DAY;
    const parts: number[] = [];
    const state = { isLeft: true };
    const next = async (): Promise<void> => {
      state.isLeft = (await step()) !== null;
    };
    while (state.isLeft) parts.push(await timed(next));
    const decisions = await repeated(DECISIONS, async () => {
      ahead += 2 * MINUTE;
      if ((await step()) === null) throw new Error('No rollout was due.');
    });
    return { parts, decisions };
  } finally {
    await app.stop();
  }
}

/** Terminals that have been silent for a week get no versions. */
function seeAll(file: string): void {
  const database = new Sqlite(file);
  database.prepare('update device_presence set last_seen_at = ?').run(Date.now());
  database.close();
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${devices} devices and ${transactions} transactions ...`);
  const { token } = await buildDatabase(file, { devices, transactions, wide: 0, others: 1 });
  seeAll(file);
  await onBoth(file, async (url) => printTable([HEADINGS, ...(await measure(url, token))]));
});
