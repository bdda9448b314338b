/**
 * Prints where the server's processor time goes under one workload of `workloads.ts`: self time by package and by
 * function. Not a test.
 *
 *   npm run bench -- --profile W4 [--transactions N] [--seconds N]
 */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { buildDatabase } from './data.js';
import { runLoad } from './load.js';
import { print, printTable, startGateway, withDatabaseFile } from './measure.js';
import { selfTimes, type Profile, type SelfTime } from './self-time.js';
import { requestsOf, WORKLOADS, type Workload } from './workloads.js';

const { values: options } = parseArgs({
  options: {
    profile: { type: 'string', default: 'W4' },
    transactions: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '10' },
  },
});
const CONNECTIONS = 32;
const SHOWN = 25;

function workloadOf(name: string): Workload {
  if (Object.hasOwn(WORKLOADS, name)) return name as Workload;
  throw new Error(`There is no workload ${name}: choose one of ${Object.keys(WORKLOADS).join(', ')}.`);
}

function printTimes(title: string, times: readonly SelfTime[]): void {
  const rows = times.slice(0, SHOWN).map(({ name, share }) => [name, `${(share * 100).toFixed(1)} %`]);
  printTable([[title, 'self time'], ...rows]);
}

async function profile(file: string): Promise<void> {
  const workload = workloadOf(options.profile);
  const transactions = Number(options.transactions);
  print(`Building a database with ${transactions} transactions ...`);
  const request = requestsOf(await buildDatabase(file, transactions), transactions)[workload];
  const folder = dirname(file);
  const server = await startGateway(file, { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` });
  await runLoad(server.url, request, { milliseconds: 2_000, connections: CONNECTIONS });
  const milliseconds = Number(options.seconds) * 1_000;
  const { perSecond, p50 } = await runLoad(server.url, request, { milliseconds, connections: CONNECTIONS });
  server.child.removeAllListeners('exit');
  server.child.kill('SIGTERM');
  await once(server.child, 'exit');
  // The threads of the server have profiles too: that of its event loop is the one with the most samples.
  const [times] = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile)
    .toSorted((one, other) => other.samples.length - one.samples.length)
    .map(selfTimes);
  if (times === undefined) throw new Error('The server has written no profile.');
  print(
    `${workload}, ${WORKLOADS[workload]}: ${Math.round(perSecond)} requests/s, p50 ${p50.toFixed(1)} ms.`,
  );
  printTimes('package', times.packages);
  printTimes('function', times.functions);
}

await withDatabaseFile(profile);
