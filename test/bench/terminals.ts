/**
 * Terminals of one group that wait for notifications, and one notification to the group: when they have confirmed it, and
 * what other requests notice. The terminals are those of the command `simulate`. Not a test.
 *
 *   npm run bench:terminals -- [--terminals N] [--ramp SECONDS]
 *
 * Each process needs a file descriptor for each terminal: `ulimit -n 12000` before. Exits with 1 if not all terminals
 * have confirmed the notification within 60 s, if the p95 of small requests is 200 ms or more meanwhile, or if the server
 * broke another promise to a terminal.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { metricOf, readGauges } from '../support/gauges.js';
import { PROGRAM } from '../support/program.js';
import { printNoticed, smallRequests, startBystanders, type Bystanders } from './bystanders.js';
import { buildDatabase, type BenchData } from './data.js';
import { graphql, percentilesOf, send } from './requests.js';
import { numbersOf, print, processorTime, startServer, withDatabaseFile } from './servers.js';
import type { BenchServer } from './servers.js';

const { terminals: TERMINALS, ramp: RAMP_SECONDS } = numbersOf({ terminals: 10_000, ramp: 40 });
const PATIENCE_MS = 90_000;
/** Promised maxima: time until all have confirmed, and p95 of other requests. */
const [CONFIRMED_MS, P95_MS] = [60_000, 200];
const agent = new Agent({ keepAlive: true });

/** Starts `simulate`, whose terminals wait only. `end` stops it: it prints its summary, and fails if a promise was broken. */
function startTerminals(url: string, tokenFile: string) {
  const given = {
    url,
    'token-file': tokenFile,
    group: 'Group 0',
    terminals: String(TERMINALS),
    ramp: `${RAMP_SECONDS}s`,
    every: '0s',
    for: '60m',
  };
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [PROGRAM, 'simulate', '--no-faults', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGINT');
      const [code] = await ended;
      if (code !== 0) process.exitCode = 1;
    },
  };
}

async function ask(url: string, token: string, query: string, variables: object): Promise<unknown> {
  const { result, text } = await send(url, graphql(token, query, variables), agent);
  if (result !== '200') throw new Error(`${result} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

async function waitForAll({ url }: BenchServer): Promise<void> {
  const end = performance.now() + RAMP_SECONDS * 1_000 + PATIENCE_MS;
  for (;;) {
    const waiting = await metricOf(url, 'terminals_waiting');
    if (waiting >= TERMINALS) return;
    if (performance.now() > end) throw new Error(`Only ${waiting} terminals wait.`);
    await sleep(500);
  }
}

const SEND = `mutation ($target: NotificationTargetInput!) {
  notificationSend(input: { content: "Hello", target: $target }) { notification { databaseId } userErrors { message } } }`;
const CONFIRMED = 'query ($id: Int!) { notification(databaseId: $id) { summary { delivered } } }';

/** Sends the notification; resolves to the time at which all have confirmed it, in milliseconds. */
async function notify({ url }: BenchServer, token: string): Promise<number> {
  const began = performance.now();
  const target = { groupId: Buffer.from('Group:1').toString('base64url') };
  const sent = (await ask(url, token, SEND, { target })) as {
    notificationSend: { notification: { databaseId: number } };
  };
  const { databaseId: id } = sent.notificationSend.notification;
  print(`sent in ${(performance.now() - began).toFixed(0)} ms`);
  while (performance.now() - began < PATIENCE_MS) {
    const { notification } = (await ask(url, token, CONFIRMED, { id })) as {
      notification: { summary: { delivered: number } };
    };
    if (notification.summary.delivered >= TERMINALS) return performance.now() - began;
    await sleep(200);
  }
  return Infinity;
}

async function measure(server: BenchServer, simulator: number, token: string, bystanders: Bystanders) {
  await waitForAll(server);
  printNoticed('while they connect', await bystanders.take());
  await sleep(5_000);
  printNoticed('while they wait', await bystanders.take());
  const before = await readGauges(server.url);
  const used = [server.pid, simulator].map(processorTime);
  const confirmedMs = await notify(server, token);
  const noticed = await bystanders.take();
  printNoticed('meanwhile', noticed);
  const after = await readGauges(server.url);
  const [ofServer, ofTerminals] = [server.pid, simulator].map(
    (pid, n) => processorTime(pid) - (used[n] ?? 0),
  );
  print(
    `processor time: server ${ofServer?.toFixed(1)} s, terminals ${ofTerminals?.toFixed(1)} s; ` +
      `server ${before.memory} MB with all waiting, ${after.memory} MB after it`,
  );
  const p95 = Math.max(...smallRequests(noticed).map(({ times }) => percentilesOf(times).p95));
  const isKept = confirmedMs <= CONFIRMED_MS && p95 < P95_MS;
  print(`confirmed after ${(confirmedMs / 1_000).toFixed(1)} s`);
  print(`all within ${CONFIRMED_MS / 1_000} s and p95 below ${P95_MS} ms: ${isKept ? 'yes' : 'NO'}`);
  if (!isKept) process.exitCode = 1;
}

async function run(file: string): Promise<void> {
  const sizes = { devices: TERMINALS, transactions: 0, wide: TERMINALS, others: 1 };
  const { token, others }: BenchData = await buildDatabase(file, sizes);
  const tokenFile = `${file}.token`;
  writeFileSync(tokenFile, token, { mode: 0o600 });
  // One address stands for the many networks of a fleet.
  const environment = { LOG_LEVEL: 'error', TRUST_PROXY: '127.0.0.1' };
  const server = await startServer(`file:${file}`, environment);
  const terminals = startTerminals(server.url, tokenFile);
  const companies = { "the terminals' company": token, 'another company': others[0] ?? '' };
  const bystanders = await startBystanders(server.url, companies);
  try {
    await measure(server, terminals.pid, token, bystanders);
  } finally {
    bystanders.stop();
    await terminals.end();
  }
}

await withDatabaseFile(run);
