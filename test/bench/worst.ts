/**
 * The worst operations that the limits allow, while another company sends small requests at a steady rate. Prints for each
 * operation what it took, and what the other company noticed of it. Exits with 1 if the p99 of its small requests is above
 * 100 ms, if one failed other than with 503, or if memory grew in a long run. Not a test.
 *
 *   npm run bench:worst -- [--scale N] [--seconds N]
 *   npm run soak -- [--scale N] [--minutes N]
 *
 * `soak` runs all operations but uploads, which would fill the disk, at the same time in 4 processes, and reports each
 * minute. `--scale 1` is 200,000 devices and 1,000,000 transactions. Run it alone on a machine: the load of other
 * programs is in every figure.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE, SECOND } from '../../src/platform/clock.js';
import { readGauges, type Gauges } from '../support/gauges.js';
import { startAttacker, type Attacked } from './attacker.js';
import { printNoticed, smallRequests, startBystanders, type Bystanders, type Noticed } from './bystanders.js';
import { buildDatabase, type BenchData } from './data.js';
import { ms, percentilesOf, textOf } from './requests.js';
import { numbersOf, print, printTable, startServer, withDatabaseFile } from './servers.js';
import { operationsOf } from './worst-operations.js';

const {
  scale: SCALE,
  seconds: SECONDS,
  minutes: MINUTES,
} = numbersOf({ scale: 0.2, seconds: 6, minutes: 0 });
const scaled = (size: number): number => Math.round(size * SCALE);
const SIZES = { devices: scaled(200_000), transactions: scaled(1_000_000), wide: scaled(100_000), others: 1 };
const LIMIT_MS = 100;
/** The p99 of fewer requests is their longest. */
const ENOUGH = 100;
/** Growth of memory from the second fifth of the time to the last: what a cache may still need. */
const ALLOWED_GROWTH_MB = 100;
const PROCESSES = 4;
/** The server goes on for a while after some operations, for example with deliveries. */
const SETTLE_MS = 2_000;

/** One operation alone, or one minute of all of them. */
interface Measured {
  readonly name: string;
  readonly noticed: readonly Noticed[];
  readonly gauges: Gauges;
}

/** Prints what was measured since the last call. */
async function report(name: string, url: string, bystanders: Bystanders): Promise<Measured> {
  const [noticed, gauges] = [await bystanders.take(), await readGauges(url)];
  print(`\n${name}: longest delay of the event loop ${gauges.loopDelay} ms, memory ${gauges.memory} MB`);
  printNoticed('', noticed);
  return { name, noticed, gauges };
}

/** Forgets what was measured before. */
async function begin(url: string, bystanders: Bystanders): Promise<void> {
  await bystanders.take();
  await readGauges(url);
}

function printAttacked(attacked: readonly Attacked[]): void {
  const rows = attacked.map(({ name, times, results }) => {
    const { p50, max } = percentilesOf(times);
    return [name, ms(p50), ms(max), textOf(results)];
  });
  printTable([['operation', 'p50 ms', 'max', 'results'], ...rows]);
}

/** Each operation alone, after nothing at all. */
async function oneByOne(url: string, data: BenchData, names: readonly string[], bystanders: Bystanders) {
  const measured: Measured[] = [];
  const attacked: Attacked[] = [];
  for (const name of [null, ...names]) {
    const plan = { url, data, names: name === null ? [] : [name], milliseconds: SECONDS * SECOND };
    const attacker = name === null ? null : await startAttacker(plan);
    await begin(url, bystanders);
    if (attacker === null) await sleep(SECONDS * SECOND);
    else attacked.push(...(await attacker()));
    await sleep(SETTLE_MS);
    measured.push(await report(name ?? 'nothing else', url, bystanders));
  }
  print('');
  printAttacked(attacked);
  return measured;
}

/** All operations at the same time. */
async function together(url: string, data: BenchData, names: readonly string[], bystanders: Bystanders) {
  const parts = Array.from({ length: PROCESSES }, (_, n) =>
    names.filter((_name, index) => index % PROCESSES === n),
  );
  const attackers = await Promise.all(
    parts.map((part) => startAttacker({ url, data, names: part, milliseconds: MINUTES * MINUTE })),
  );
  await begin(url, bystanders);
  const attacks = Promise.all(attackers.map((attacker) => attacker()));
  const measured: Measured[] = [];
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    await sleep(MINUTE);
    measured.push(await report(`minute ${minute}`, url, bystanders));
  }
  print('');
  printAttacked((await attacks).flat());
  return measured;
}

/** Problems found in the run; empty if there are none. */
function problemsIn(measured: readonly Measured[]): readonly string[] {
  const problems = measured.flatMap(({ name, noticed }) =>
    smallRequests(noticed).flatMap((each) => {
      const { p99 } = percentilesOf(each.times);
      const hasFailed = Object.keys(each.failures).some((result) => !result.startsWith('503'));
      return [
        ...(p99 > LIMIT_MS && each.times.length >= ENOUGH
          ? [`${name}, ${each.name}: p99 is ${ms(p99)} ms`]
          : []),
        ...(hasFailed ? [`${name}, ${each.name}: ${textOf(each.failures)}`] : []),
      ];
    }),
  );
  const fifth = Math.floor(measured.length / 5);
  const memory = (part: readonly Measured[]): number =>
    percentilesOf(part.map(({ gauges }) => gauges.memory)).p50;
  const growth = memory(measured.slice(-fifth)) - memory(measured.slice(fifth, 2 * fifth));
  const hasGrown = MINUTES >= 10 && growth > ALLOWED_GROWTH_MB;
  return [...problems, ...(hasGrown ? [`memory grew by ${growth} MB`] : [])];
}

await withDatabaseFile(async (file) => {
  print(`Building a database with ${SIZES.devices} devices and ${SIZES.transactions} transactions ...`);
  const data = await buildDatabase(file, SIZES);
  const environment = { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PER_HOUR: '100000000' };
  const { url } = await startServer(`file:${file}`, environment);
  const names = operationsOf(data)
    .map(({ name }) => name)
    .filter((name) => MINUTES === 0 || !name.startsWith('uploads'));
  const bystanders = await startBystanders(url, { 'another company': data.others[0] ?? '' });
  try {
    const run = MINUTES > 0 ? together : oneByOne;
    const problems = problemsIn(await run(url, data, names, bystanders));
    print(problems.length === 0 ? '\nGood.' : `\nNot good:\n  ${problems.join('\n  ')}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } finally {
    bystanders.stop();
  }
});
