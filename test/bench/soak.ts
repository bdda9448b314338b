/**
 * Well-behaved clients of two companies, and all attackers at once with the rights of a third one, on 200,000 devices
 * and 1,000,000 transactions. Prints a report each minute and a verdict at the end; exits with 1 if it is not good.
 *
 *   npm run soak -- [--minutes N] [--database FILE] [--scale N] [--without ATTACK,ATTACK]
 *
 * FILE is built if it does not exist, and kept; the server runs on a copy of it. To compare with a kind of client, run once
 * with the names of all attacks in `--without`. Run it alone on a machine.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { readGauges, type Gauges } from '../support/gauges.js';
import { ATTACKS } from './hostile/attacks.js';
import { largeDatabase } from './hostile/large.js';
import { percentilesOf, watchOwnDelay, type Latencies } from './hostile/steady.js';
import { startClients, type Kind } from './hostile/well-behaved.js';
import { print, printTable, startGateway, withDatabaseFile } from './measure.js';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    database: { type: 'string', default: join(tmpdir(), 'terminal-gateway-large.db') },
    scale: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
  },
});
const LIMIT_MS = 100;
/** Growth of memory after the first fifth of the time: what a cache may still need. */
const ALLOWED_GROWTH_MB = 100;
const SETTINGS = { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PER_HOUR: '100000000' };

interface Minute {
  readonly gauges: Gauges;
  readonly kinds: readonly { readonly name: string; readonly latencies: Latencies }[];
}

/** Seconds of processor time that a process has used. */
function processorTime(pid: number | undefined): number {
  try {
    const fields =
      readFileSync(`/proc/${pid ?? 0}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

const ms = (value: number): string => (value >= 10 ? Math.round(value).toString() : value.toFixed(1));
const unexpected = (statuses: Readonly<Record<string, number>>): number =>
  Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 500 && status !== '503' ? count : 0),
    0,
  );

/** Unexpected responses: anything but success and 503, a broken connection included. */
const failures = ({ statuses }: Latencies): number =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (/^(2|503)/.test(status) ? 0 : count), 0);

async function runMinutes(
  server: { readonly url: string; readonly child: ChildProcess },
  kinds: readonly Kind[],
  attackers: readonly ChildProcess[],
): Promise<Minute[]> {
  const minutes: Minute[] = [];
  const ownDelay = watchOwnDelay();
  const times = (): readonly number[] => [
    processorTime(server.child.pid),
    processorTime(process.pid),
    attackers.reduce((sum, { pid }) => sum + processorTime(pid), 0),
  ];
  let before = times();
  for (let minute = 1; minute <= Number(options.minutes) && server.child.exitCode === null; minute += 1) {
    await sleep(MINUTE);
    const gauges = await readGauges(server.url).catch(() => null);
    if (gauges === null) {
      print(`\nMinute ${minute}: the server does not answer; exit code ${String(server.child.exitCode)}`);
      continue;
    }
    const taken = kinds.map(({ name, client }) => ({ name, latencies: client.take() }));
    minutes.push({ gauges, kinds: taken });
    const now = times();
    const shares = now.map(
      (time, index) => `${Math.round(((time - (before[index] ?? 0)) * 100) / (MINUTE / SECOND))} %`,
    );
    before = now;
    const responses = Object.values(gauges.statuses).reduce((sum, count) => sum + count, 0);
    print(
      `\nMinute ${minute}: ${responses} responses since the start, ${unexpected(gauges.statuses)} unexpected 5xx, ${gauges.statuses['503'] ?? 0} documented 503; ` +
        `memory ${gauges.memory} MB, heap ${gauges.heap} MB; longest turn of the loop ${gauges.loopDelay} ms, of the clients' own ${ms(ownDelay())} ms; ` +
        `processor of ${cpus().length} cores: server ${shares[0] ?? ''}, clients ${shares[1] ?? ''}, attackers ${shares[2] ?? ''}; load average ${loadavg()[0]?.toFixed(1) ?? ''}`,
    );
    printTable([
      ['client', 'requests', 'p50 ms', 'p99 ms', 'max ms', '503', 'failed'],
      ...taken.map(({ name, latencies }) => rowOf(name, latencies)),
    ]);
  }
  return minutes;
}

function rowOf(name: string, latencies: Latencies): string[] {
  const { count, p50, p99, max, statuses } = latencies;
  return [
    name,
    String(count),
    ms(p50),
    ms(p99),
    ms(max),
    String(statuses[503] ?? 0),
    String(failures(latencies)),
  ];
}

/** The percentiles of all requests, and how the minutes differ: with few requests, the p99 of one is its longest. */
function printWhole(minutes: readonly Minute[]): void {
  print('\nAll minutes:');
  printTable([
    ['client', 'requests', 'p50 ms', 'p99 ms', 'max ms', 'p99 in the median minute', 'in the worst'],
    ...(minutes[0]?.kinds ?? []).map(({ name }, index) => {
      const all = minutes.flatMap(({ kinds }) => kinds[index]?.latencies ?? []);
      const { count, p50, p99, max } = percentilesOf(all.flatMap(({ times }) => times));
      const byMinute = percentilesOf(all.map((each) => each.p99));
      return [name, String(count), ...[p50, p99, max, byMinute.p50, byMinute.max].map(ms)];
    }),
  ]);
}

/** Problems found in the run; empty if there are none. */
function verdict(minutes: readonly Minute[], isRunning: boolean): string[] {
  const problems = isRunning ? [] : ['the server ended'];
  const last = minutes.at(-1);
  if (last === undefined) return [...problems, 'nothing was measured'];
  const faults = unexpected(last.gauges.statuses);
  if (faults > 0) problems.push(`${faults} unexpected 5xx: ${JSON.stringify(last.gauges.statuses)}`);
  for (const [index, { name }] of last.kinds.entries()) {
    const all = minutes.flatMap(({ kinds }) => kinds[index]?.latencies ?? []);
    const { p99 } = percentilesOf(all.flatMap(({ times }) => times));
    const failed = all.reduce((sum, each) => sum + failures(each), 0);
    if (p99 > LIMIT_MS) problems.push(`${name}: p99 is ${ms(p99)} ms`);
    if (failed > 0) problems.push(`${name}: ${failed} requests failed`);
  }
  const fifth = Math.max(1, Math.floor(minutes.length / 5));
  const memory = (part: readonly Minute[]): number =>
    percentilesOf(part.map(({ gauges }) => gauges.memory)).p50;
  const growth = memory(minutes.slice(-fifth)) - memory(minutes.slice(fifth, 2 * fifth));
  if (minutes.length >= 10 && growth > ALLOWED_GROWTH_MB) problems.push(`memory grew by ${growth} MB`);
  return problems;
}

await withDatabaseFile(async (file) => {
  const database = join(dirname(file), 'large.db');
  print(`Preparing ${options.database} ...`);
  const data = await largeDatabase(database, options.database, Number(options.scale));
  const server = await startGateway(database, SETTINGS);
  const [other, third] = data.others;
  const kinds = [
    ...(await startClients(server.url, 'B', other)),
    ...(await startClients(server.url, 'C', third)),
  ];
  const script = new URL('soak-attacker.ts', import.meta.url).pathname;
  const without = options.without.split(',');
  const attackers = Object.keys(ATTACKS)
    .filter((name) => !without.includes(name))
    .map((name) =>
      spawn(process.execPath, ['--import', 'tsx', script, name, server.url, JSON.stringify(data)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
  try {
    const minutes = await runMinutes(server, kinds, attackers);
    printWhole(minutes);
    const problems = verdict(minutes, server.child.exitCode === null);
    print(problems.length === 0 ? '\nGood.' : `\nNot good:\n  ${problems.join('\n  ')}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    for (const attacker of attackers) attacker.kill('SIGKILL');
    await Promise.all(kinds.map(({ client }) => client.stop()));
  }
});
process.exit();
