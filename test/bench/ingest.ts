/**
 * Transactions in bulk: rows a second that `POST /ingest/v1/transactions` stores durably, and what others notice of it.
 * `/healthz` is asked every 100 ms, and another company creates a group as often. Not a test.
 *
 *   npm run bench:ingest -- [--rows N] [--streams N] [--repeat]
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { ingestRows, ndjson, openLines } from '../support/line-stream.js';
import { fillDatabase, insertMember } from './fill.js';
import { print, startWatchedGateway, withDatabaseFile } from './measure.js';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '40000' },
    streams: { type: 'string', default: '1' },
    repeat: { type: 'boolean', default: false },
  },
});
const [ROWS, STREAMS] = [Number(options.rows), Number(options.streams)];
const EVERY_MS = 100;
/** Rows that are made and given to the connection at once. */
const PART = 500;

/** Milliseconds of one request, from the connection to the last byte. */
async function timed(url: URL, method: string, headers: Record<string, string>, body = ''): Promise<number> {
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
  return performance.now() - began;
}

/** Asks at a steady pace until `isOver`; resolves to the times in milliseconds, ascending. */
async function watch(ask: (n: number) => Promise<number>, isOver: () => boolean): Promise<number[]> {
  const running: Promise<number>[] = [];
  for (let n = 0; !isOver(); n += 1) {
    running.push(ask(n));
    await sleep(EVERY_MS);
  }
  return (await Promise.all(running)).sort((one, other) => one - other);
}

async function send(url: string, token: string, first: number): Promise<unknown> {
  const stream = openLines(url, token);
  for (let sent = 0; sent < ROWS; sent += PART) {
    await stream.write(ndjson(ingestRows(Math.min(PART, ROWS - sent), first + sent)));
  }
  return (await stream.end()).lines.at(-1);
}

const described = (times: readonly number[]): string => {
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${(times.at(-1) ?? 0).toFixed(1)} ms (${times.length} requests)`;
};

/** Seconds of processor time that a process has used. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

type Watched = Awaited<ReturnType<typeof startWatchedGateway>>;

async function measure(server: Watched, token: string, otherToken: string): Promise<void> {
  const { url, child } = server;
  const used = processorTime(child.pid ?? 0);
  await server.longestTurn();
  let isOver = false;
  const began = performance.now();
  const health = watch(
    () => timed(new URL('/healthz', url), 'GET', {}),
    () => isOver,
  );
  const headers = { authorization: `Bearer ${otherToken}`, 'content-type': 'application/json' };
  const create = (n: number): Promise<number> =>
    timed(new URL('/v1/groups', url), 'POST', headers, `{"name":"${began}-${n}"}`);
  const groups = watch(create, () => isOver);
  const totals = await Promise.all(
    Array.from({ length: STREAMS }, (_, stream) => send(url, token, stream * ROWS)),
  );
  const seconds = (performance.now() - began) / 1_000;
  isOver = true;
  const processor = processorTime(child.pid ?? 0) - used;
  print(totals.map((each) => JSON.stringify(each)).join(' '));
  print(`rows a second     ${Math.round((ROWS * STREAMS) / seconds)} (${seconds.toFixed(1)} s)`);
  print(`processor time    ${Math.round((processor * 1e6) / (ROWS * STREAMS))} µs a row`);
  print(`longest turn      ${(await server.longestTurn()).toFixed(1)} ms of processor time`);
  print(`/healthz          ${described(await health)}`);
  print(`groups of another ${described(await groups)}`);
}

await withDatabaseFile(async (file) => {
  const tokens = ['bulk', 'other'].map(() => randomBytes(20).toString('hex'));
  const [token = '', otherToken = ''] = tokens;
  await fillDatabase(file, (insert) => {
    insertMember(insert, 'bulk', token, Date.now());
    insertMember(insert, 'other', otherToken, Date.now());
  });
  const server = await startWatchedGateway(file);
  // GraphQL is loaded by then.
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await sleep(EVERY_MS);
  await measure(server, token, otherToken);
  if (options.repeat) {
    print('The same rows again:');
    await measure(server, token, otherToken);
  }
});
