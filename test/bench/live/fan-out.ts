/**
 * Events of the ledger to many subscribers: what is delivered, in which order, how late, and what it costs the server.
 * Each company has its share of the sockets and its own writers. Not a test.
 *
 *   npm run bench:live -- [--sockets N] [--companies N] [--operations N] [--per-second N] [--seconds N]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { hashToken } from '../../../src/domain/people/access-token/access-token.model.js';
import { fillDatabase, insertMember, type Insert } from '../fill.js';
import { print, startWatchedGateway, withDatabaseFile, type BenchServer } from '../measure.js';
import type { Plan, Report } from './subscribers.js';

const { values: options } = parseArgs({
  options: {
    sockets: { type: 'string', default: '1000' },
    companies: { type: 'string', default: '3' },
    operations: { type: 'string', default: '1' },
    'per-second': { type: 'string', default: '40' },
    seconds: { type: 'string', default: '15' },
  },
});
const [SOCKETS, COMPANIES, OPERATIONS] = [options.sockets, options.companies, options.operations].map(
  Number,
) as [number, number, number];
const [RATE, SECONDS] = [Number(options['per-second']), Number(options.seconds)];
/** Less than the limits of the server. */
const [PER_TOKEN, PER_ADDRESS] = [45, 190];
const PATIENCE_MS = 60_000;

/** The tokens of a new company; the first one is for its writers. */
function insertCompany(insert: Insert, name: string, now: number): string[] {
  const tokens = Array.from({ length: Math.ceil(SOCKETS / COMPANIES / PER_TOKEN) + 1 }, () =>
    randomBytes(20).toString('hex'),
  );
  const [first = '', ...others] = tokens;
  const company = insertMember(insert, name, first, now);
  for (const token of others) {
    insert('access_tokens', {
      ...{ company_id: company, user_id: company, kind: 'named', name: 'subscriber' },
      ...{ scopes: '["read","admin"]', token_hash: hashToken(token), last_four: token.slice(-4) },
      ...{ created_at: now, last_used_at: now },
    });
  }
  return tokens;
}

/** Seconds of processor time that a process has used. */
function processorTime({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid ?? 0}/stat`, 'utf8').split(') ')[1];
  const fields = stat?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function create(server: BenchServer, token: string, name: string): Promise<void> {
  const response = await fetch(`${server.url}/v1/groups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${response.status} ${text}`);
}

/** Writes at a steady rate for each company; resolves to the latencies of the writes in milliseconds, ascending. */
async function write(
  server: BenchServer,
  tokens: readonly string[],
  prefix: string,
  seconds: number,
): Promise<number[]> {
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < RATE * seconds; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / RATE - performance.now()));
    const sent = performance.now();
    for (const token of tokens) {
      running.push(
        create(server, token, `${prefix} ${n}`).then(() => void latencies.push(performance.now() - sent)),
      );
    }
  }
  await Promise.all(running);
  return latencies.sort((a, b) => a - b);
}

async function ask(subscribers: ChildProcess, question: 'report' | 'begin' = 'report'): Promise<Report> {
  const answer = once(subscribers, 'message') as Promise<[Report]>;
  subscribers.send(question);
  const [report] = await answer;
  return report;
}

/** Resolves when every subscriber has so many events, or no more arrive. */
async function delivered(subscribers: ChildProcess, events: number): Promise<Report> {
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    const report = await ask(subscribers);
    const isComplete = report.fewest.every((fewest) => fewest >= events);
    if (isComplete || performance.now() > giveUp) return report;
    await sleep(50);
  }
}

async function startSubscribers(server: BenchServer, tokens: readonly string[][]): Promise<ChildProcess> {
  const plan: Plan = {
    ...{ url: server.url, tokens: tokens.map(([, ...others]) => others) },
    ...{ perToken: PER_TOKEN, perAddress: PER_ADDRESS, sockets: SOCKETS, operations: OPERATIONS },
  };
  const path = new URL('./subscribers.ts', import.meta.url).pathname;
  const child = fork(path, [JSON.stringify(plan)], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  await sleep(500);
  return child;
}

await withDatabaseFile(async (file) => {
  const tokens = await fillDatabase(file, (insert) =>
    Array.from({ length: COMPANIES }, (_, n) => insertCompany(insert, `bench${n}`, Date.now())),
  );
  const server = await startWatchedGateway(file);
  const subscribers = await startSubscribers(server, tokens);
  const writers = tokens.map(([first = '']) => first);
  await write(server, writers, 'warm', 2);
  await delivered(subscribers, RATE * 2);
  const [before, warm, began] = [
    processorTime(server.child),
    await ask(subscribers, 'begin'),
    performance.now(),
  ];
  const clientBefore = processorTime(subscribers);
  await server.longestTurn();
  const latencies = await write(server, writers, 'event', SECONDS);
  const report = await delivered(subscribers, RATE * (SECONDS + 2));
  const seconds = (performance.now() - began) / 1_000;
  const used = processorTime(server.child) - before;
  const messages = report.received - warm.received;
  const due = SOCKETS * OPERATIONS * RATE * SECONDS;
  print(
    `${SOCKETS} sockets of ${COMPANIES} companies, ${OPERATIONS} subscriptions each, ${RATE} events a second`,
  );
  print(
    `delivered ${messages} of ${due} in ${seconds.toFixed(1)} s: ${Math.round(messages / seconds)} a second`,
  );
  print(`out of order ${report.outOfOrder}, closed ${report.closed}`);
  print(`delay p50 ${report.p50} ms, p99 ${report.p99} ms, most ${report.most} ms`);
  print(
    `server ${((100 * used) / seconds).toFixed(0)} % of a processor, ${((1e6 * used) / messages).toFixed(1)} us a message;` +
      ` subscribers ${((100 * (processorTime(subscribers) - clientBefore)) / seconds).toFixed(0)} %`,
  );
  const at = (share: number): string =>
    (latencies[Math.floor((latencies.length - 1) * share)] ?? 0).toFixed(0);
  print(`a write: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  print(`longest turn ${(await server.longestTurn()).toFixed(1)} ms`);
  subscribers.disconnect();
});
