/**
 * Clients of companies that put no load on a server. They send at fixed times, whether or not earlier requests are
 * answered, and measure from the time at which a request was due, so what waits is counted in full. They run in a process
 * of their own, so that only the server delays them.
 */
import { Agent } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import {
  count,
  graphql,
  ms,
  percentilesOf,
  rest,
  send,
  textOf,
  upload,
  type Counts,
  type Request,
} from './requests.js';
import { answerMessages, printTable, startHelper } from './servers.js';

/** Requests of one kind since the last question. */
export interface Noticed {
  /** For example `another company: list`. */
  readonly name: string;
  /** In milliseconds. */
  readonly times: readonly number[];
  /** Results other than success. */
  readonly failures: Counts;
}

interface Kind {
  readonly everyMs: number;
  readonly request: (token: string, n: number) => Request;
}

const DASHBOARD = `{ deviceSummary { total enabled neverSeen } groups(first: 5) { nodes { name logicalNumbers(first: 5) {
  totalCount nodes { number devices(first: 2) { nodes { serialNumber } } } } } }
  transactions(last: 10) { nodes { serialNumber status startedAt parsed { amount } } } }`;
const FILE = Buffer.alloc(300_000, 'x');
/** Names must not be taken yet. */
const unique = Date.now().toString(36);

const KINDS: Readonly<Record<string, Kind>> = {
  list: { everyMs: 50, request: (token) => rest(token, 'GET', 'devices') },
  create: { everyMs: 100, request: (token, n) => rest(token, 'POST', 'groups', { name: `${unique} ${n}` }) },
  dashboard: { everyMs: 500, request: (token) => graphql(token, DASHBOARD) },
  upload: { everyMs: 3_000, request: (token, n) => upload(token, `${unique}-${n}.bin`, FILE) },
};
const HEALTH = { everyMs: 100, request: { method: 'GET', path: '/healthz', headers: {} } } as const;

interface Plan {
  readonly url: string;
  /** By the name of each company. */
  readonly tokens: Readonly<Record<string, string>>;
}

export type Bystanders = Awaited<ReturnType<typeof startBystanders>>;

/** `take` has the measurements since its last call, or since the start. */
export async function startBystanders(url: string, tokens: Plan['tokens']) {
  const helper = startHelper(import.meta.filename);
  const plan: Plan = { url, tokens };
  await helper.ask(plan);
  return { take: async () => await helper.ask<readonly Noticed[]>('take'), stop: helper.stop };
}

/** Measurements of small requests, for which nobody should wait; those of uploads are left out. */
export const smallRequests = (noticed: readonly Noticed[]): readonly Noticed[] =>
  noticed.filter(({ name }) => /(?:list|create|dashboard|health)$/.test(name));

const NOTICED_HEADINGS = ['requests', 'p50 ms', 'p95', 'p99', 'max', 'failed'];

export function printNoticed(title: string, noticed: readonly Noticed[]): void {
  const rows = noticed.map(({ name, times, failures }) => {
    const { p50, p95, p99, max } = percentilesOf(times);
    return [name, String(times.length), ...[p50, p95, p99, max].map(ms), textOf(failures)];
  });
  printTable([[title, ...NOTICED_HEADINGS], ...rows]);
}

/** Sends at fixed times, from a random one within the first interval; returns what gives the measurements. */
function sendSteady(name: string, url: string, everyMs: number, next: (n: number) => Request, agent: Agent) {
  let times: number[] = [];
  let failures: Record<string, number> = {};
  const started = performance.now() + Math.random() * everyMs;
  let sent = 0;
  const tick = (): void => {
    for (; started + sent * everyMs <= performance.now(); sent += 1) {
      const due = started + sent * everyMs;
      void send(url, next(sent), agent).then(({ result }) => {
        times.push(performance.now() - due);
        if (!/^20[01]$/.test(result)) count(failures, result);
      });
    }
    setTimeout(tick, Math.max(0, started + sent * everyMs - performance.now()));
  };
  tick();
  return (): Noticed => {
    const noticed = { name, times, failures };
    [times, failures] = [[], {}];
    return noticed;
  };
}

const RESOLUTION_MS = 5;

/** Starts the clients; returns what gives their measurements. */
function start({ url, tokens }: Plan): () => readonly Noticed[] {
  const takes = Object.entries(tokens).flatMap(([company, token]) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    return Object.entries(KINDS).map(([kind, { everyMs, request }]) =>
      sendSteady(`${company}: ${kind}`, url, everyMs, (n) => request(token, n), agent),
    );
  });
  // A new connection for each request: Node accepts one in each turn of its event loop, so these wait longest.
  takes.push(sendSteady('health', url, HEALTH.everyMs, () => HEALTH.request, new Agent()));
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const own = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    delay.reset();
    const ofThis = { name: 'longest delay of the measuring process', times: [own], failures: {} };
    return [...takes.map((take) => take()), ofThis];
  };
}

if (process.argv[1] === import.meta.filename) {
  let take: (() => readonly Noticed[]) | null = null;
  answerMessages((message) => {
    if (message === 'take') return take?.();
    take = start(message as Plan);
    return 'started';
  });
}
