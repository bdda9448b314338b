import { Agent, get } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Response times in milliseconds, from the moment at which each request was due. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** All of them, in order of size. */
  readonly times: readonly number[];
  /** Responses by status; 0 for a broken connection. */
  readonly statuses: Readonly<Record<number, number>>;
}

export interface SteadyClient {
  /** Latencies measured since the last call, or since the start. */
  take(): Latencies;
  /** Stops and waits for the responses. */
  stop(): Promise<Latencies>;
}

/** Sends a request and resolves to its status when the response is complete; 0 for a broken connection. */
export type SendNext = (n: number) => Promise<number>;

/**
 * Sends at fixed times, whether or not earlier requests are answered: what waits is counted in full. Begins at a random
 * time within the first interval, since clients do not all send at the same moment.
 */
export function startSteady(everyMs: number, send: SendNext): SteadyClient {
  let times: number[] = [];
  let statuses: Record<number, number> = {};
  const pending = new Set<Promise<void>>();
  const started = performance.now() + Math.random() * everyMs;
  let sent = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    for (; started + sent * everyMs <= performance.now(); sent += 1) {
      const due = started + sent * everyMs;
      const answered = send(sent).then((status) => {
        times.push(performance.now() - due);
        statuses[status] = (statuses[status] ?? 0) + 1;
        pending.delete(answered);
      });
      pending.add(answered);
    }
    timer = setTimeout(wait, Math.max(0, started + sent * everyMs - performance.now()));
  };
  wait();
  const take = (): Latencies => {
    const taken = { ...percentilesOf(times), statuses };
    [times, statuses] = [[], {}];
    return taken;
  };
  return {
    take,
    stop: async () => {
      clearTimeout(timer);
      await Promise.all(pending);
      return take();
    },
  };
}

export interface Connections {
  readonly url: string;
  /**
   * Connections kept open; null for a new connection for each request: Node accepts one in each turn of its event loop,
   * so these wait longest when turns are long.
   */
  readonly connections: number | null;
}

/** Sends GET requests, in turn; opens its connections first. */
export async function getInTurn(
  { url, connections }: Connections,
  paths: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<SendNext> {
  const agent = connections === null ? new Agent() : new Agent({ keepAlive: true, maxSockets: connections });
  const send = (n: number): Promise<number> =>
    statusOf(`${url}${paths[n % paths.length] ?? ''}`, headers, agent);
  await Promise.all(Array.from({ length: connections ?? 0 }, (_, n) => send(n)));
  return send;
}

export function percentilesOf(times: number[]): Omit<Latencies, 'statuses'> {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0, times: sorted };
}

function statusOf(url: string, headers: Readonly<Record<string, string>>, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
    request.once('error', () => resolve(0));
  });
}

const RESOLUTION_MS = 5;

/** The longest delay of the event loop of this process: what the client itself adds to the times it measures. */
export function watchOwnDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return () => {
    const delay = Math.max(0, histogram.max / 1e6 - RESOLUTION_MS);
    histogram.reset();
    return delay;
  };
}
