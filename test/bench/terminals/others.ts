/**
 * Requests that are no terminals', in a process of its own so that nothing else delays it: asks for a list ten times a second
 * and creates a group each time in ten, in each of several companies. Each message of its parent
 * after the first ends a period, and is answered with its figures.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** The first message to the process. */
export interface OthersPlan {
  readonly url: string;
  /** By the name of each company. */
  readonly tokens: Readonly<Record<string, string>>;
}

/** Milliseconds. */
export interface OthersReport {
  readonly companies: Readonly<Record<string, readonly number[]>>;
  readonly errors: readonly string[];
  /** Delay of the event loop of this process: what it adds to the figures. */
  readonly delay: { readonly p95: number; readonly most: number };
}

const EVERY_MS = 100;
const { url, tokens } = ((await once(process, 'message')) as [OthersPlan])[0];
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let times: Record<string, number[]> = {};
let errors: string[] = [];

async function ask(company: string, token: string, n: number): Promise<void> {
  const isChange = n % 10 === 9;
  const path = isChange ? '/v1/groups' : '/v1/devices?per_page=30';
  const given = isChange ? { method: 'POST', body: JSON.stringify({ name: `${Date.now()} ${n}` }) } : {};
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const began = performance.now();
  const response = await fetch(`${url}${path}`, { ...given, headers });
  await response.text();
  (times[company] ??= []).push(performance.now() - began);
  if (response.status >= 300) errors.push(`${path}: ${response.status}`);
}

async function askOn(company: string, token: string): Promise<never> {
  for (let n = 0; ; n += 1) {
    await ask(company, token, n).catch((error: unknown) => errors.push(String(error)));
    await sleep(EVERY_MS);
  }
}

process.on('message', () => {
  const milliseconds = (ns: number): number => Math.max(0, ns / 1e6 - 10);
  const report: OthersReport = {
    ...{ companies: times, errors },
    delay: { p95: milliseconds(delay.percentile(95)), most: milliseconds(delay.max) },
  };
  [times, errors] = [{}, []];
  delay.reset();
  process.send?.(report);
});
process.on('disconnect', () => process.exit());
await Promise.all(Object.entries(tokens).map(([company, token]) => askOn(company, token)));
