/**
 * Terminals of one group that wait for notifications, and one notification to the group: how long the request takes, when
 * all have received and confirmed it, and what other requests notice. Not a test.
 *
 *   npm run bench:terminals -- [--terminals N] [--ramp SECONDS] [--over http|mqtt] [--tokens gateway|device] [--busy N]
 *     [--profiles FOLDER]
 *
 * `--busy` starts N more processes once all wait, which take all processor time that they can get. The exit code is 1 if not all terminals
 * have received the notification within 60 s, or if the p95 of a company's other requests is 200 ms or more meanwhile.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { hashToken } from '../../src/domain/people/access-token/access-token.model.js';
import { metricOf, readGauges } from '../support/gauges.js';
import { audit, fillDatabase, insertMember } from './fill.js';
import { print, startGateway, withDatabaseFile, type BenchServer } from './measure.js';
import type { FleetPlan, FleetReport } from './terminals/fleet.js';
import type { OthersPlan, OthersReport } from './terminals/others.js';

const { values: options } = parseArgs({
  options: {
    terminals: { type: 'string', default: '10000' },
    ramp: { type: 'string', default: '40' },
    over: { type: 'string', default: 'http' },
    tokens: { type: 'string', default: 'gateway' },
    busy: { type: 'string', default: '0' },
    profiles: { type: 'string' },
  },
});
const TERMINALS = Number(options.terminals);
const RAMP_MS = Number(options.ramp) * 1_000;
const PATIENCE_MS = 90_000;
const STEP_MS = 100;
/**
 * Promised maxima in ms: time until all terminals have received a notification, and p95 of other requests.
 */
const [RECEIVED_MS, P95_MS] = [60_000, 200];
const MOSQUITTO = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find((path) => existsSync(path));
const BROKER_PORT = 18_830;
const serialNumbers = Array.from({ length: TERMINALS }, (_, n) => `SN-${n}`);

/** A terminal takes one descriptor of each process, and short requests some more. */
function refuseFewDescriptors(): void {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const open = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  const needed = TERMINALS + 1_000;
  if (open >= needed) return;
  print(
    `At most ${open} files may be open in a process, ${needed} are needed: run ulimit -n ${needed} before.`,
  );
  process.exit(1);
}

/** Device tokens by the index of their terminal; null if the terminals use a gateway token. */
const deviceTokens =
  options.tokens === 'device' ? serialNumbers.map(() => randomBytes(20).toString('hex')) : null;

async function fill(file: string, token: string, other: string): Promise<{ company: number; group: number }> {
  const now = Date.now();
  return await fillDatabase(file, (insert, database) => {
    const company = insertMember(insert, 'bench', token, now);
    insertMember(insert, 'other', other, now);
    database
      .prepare('update access_tokens set scopes = ?')
      .run('["read","write","admin","ingest","terminals"]');
    const group = insert('groups', { company_id: company, name: 'All', ...audit(now, company) });
    for (const [index, serialNumber] of serialNumbers.entries()) {
      const number = { number: serialNumber, group_id: group };
      const id = insert('logical_numbers', { company_id: company, ...number, ...audit(now, company) });
      const device = insert('devices', {
        ...{ company_id: company, serial_number: serialNumber, enabled: 1, logical_number_id: id },
        ...{ meta: '{}', framework_version: '9.0.1', ...audit(now, company) },
      });
      const own = deviceTokens?.[index];
      if (own === undefined) continue;
      insert('device_tokens', {
        ...{ company_id: company, device_id: device, token_hash: hashToken(own), last_four: own.slice(-4) },
        ...{ issued_by: company, issued_at: now - 3_600_000 },
      });
    }
    return { company, group };
  });
}

async function startBroker(folder: string): Promise<ChildProcess> {
  const file = `${folder}.mosquitto.conf`;
  const rules = [
    'user root',
    `listener ${BROKER_PORT} 127.0.0.1`,
    'allow_anonymous true',
    'max_queued_messages 0',
  ];
  writeFileSync(file, `${rules.join('\n')}\n`);
  const broker = spawn(MOSQUITTO ?? 'mosquitto', ['-c', file], { stdio: 'ignore' });
  await sleep(1_000);
  if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}`);
  return broker;
}

async function reportOf<Report>(child: ChildProcess): Promise<Report> {
  const answer = once(child, 'message') as Promise<[Report]>;
  child.send('report');
  const [report] = await answer;
  return report;
}

function percentiles(times: readonly number[]): { readonly text: string; readonly p95: number } {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const [p50, p95, most] = [at(0.5), at(0.95), at(1)];
  const text = `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, most ${most.toFixed(0)} ms (${sorted.length} requests)`;
  return { text, p95 };
}

/**
 * Prints latencies since the last call, of the terminals' company and another one. Resolves to the higher
 * p95, in milliseconds.
 */
async function printOthers(title: string, others: ChildProcess): Promise<number> {
  const { companies, errors, delay } = await reportOf<OthersReport>(others);
  const p95s: number[] = [];
  for (const [company, times] of Object.entries(companies)) {
    const { text, p95 } = percentiles(times);
    print(`${`${company} ${title}`.padEnd(44)}${text}`);
    p95s.push(p95);
  }
  const own = `p95 ${delay.p95.toFixed(0)} ms, most ${delay.most.toFixed(0)} ms`;
  print(`  the client's own delay: ${own}; errors ${[...new Set(errors)].join('; ') || 'none'}`);
  return Math.max(...p95s, errors.length > 0 ? Infinity : 0);
}

async function call(server: BenchServer, token: string, path: string, body?: object): Promise<void> {
  const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { ...given, headers });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${text}`);
}

async function waitForAll(server: BenchServer, fleet: ChildProcess): Promise<void> {
  const end = performance.now() + RAMP_MS + PATIENCE_MS;
  for (;;) {
    const waiting = options.over === 'http' ? await metricOf(server.url, 'terminals_waiting') : TERMINALS;
    const { connected, errors } = await reportOf<FleetReport>(fleet);
    if (connected >= TERMINALS && waiting >= TERMINALS) return;
    if (performance.now() > end) {
      throw new Error(`Only ${connected} terminals are connected, ${waiting} wait: ${errors.join('; ')}`);
    }
    await sleep(500);
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function measure(
  server: BenchServer,
  { fleet, others }: { readonly fleet: ChildProcess; readonly others: ChildProcess },
  token: string,
  group: number,
): Promise<void> {
  await waitForAll(server, fleet);
  await printOthers('while they connect', others);
  const busy = startBusy(Number(options.busy));
  await sleep(5_000);
  await printOthers('before', others);
  const before = await readGauges(server.url);
  const fleetBefore = await reportOf<FleetReport>(fleet);
  const began = performance.now();
  await call(server, token, '/v1/notifications', { range: 'group', group_id: group, content: 'Hello' });
  print(`POST              ${(performance.now() - began).toFixed(0)} ms`);
  const reached = new Map<string, number>();
  const goals = {
    'half received': 0.5,
    '95 % received': 0.95,
    'all received': 1,
    'all confirmed': 1,
  } as const;
  let report = await reportOf<FleetReport>(fleet);
  while (reached.size < 4 && performance.now() - began < PATIENCE_MS) {
    await sleep(STEP_MS);
    report = await reportOf<FleetReport>(fleet);
    for (const [name, share] of Object.entries(goals)) {
      const count = name === 'all confirmed' ? report.confirmed : report.received - report.repeated;
      if (count >= TERMINALS * share && !reached.has(name)) reached.set(name, performance.now() - began);
    }
  }
  for (const name of Object.keys(goals)) {
    const at = reached.get(name);
    print(`${name.padEnd(18)}${at === undefined ? `not within ${seconds(PATIENCE_MS)}` : seconds(at)}`);
  }
  for (const each of busy) each.kill('SIGKILL');
  const p95 = await printOthers('meanwhile', others);
  const after = await readGauges(server.url);
  const { received, repeated, broken, errors, megabytes, throttled } = report;
  print(
    `received ${received}, of these repeated ${repeated}; broken promises ${broken}; errors ${errors.join('; ') || 'none'}`,
  );
  const of = (code: string): number => (after.statuses[code] ?? 0) - (before.statuses[code] ?? 0);
  print(
    `refused for a while ${throttled - fleetBefore.throttled}; status 429 ${of('429')}, 503 ${of('503')}`,
  );
  const [cpu, own] = [after.cpu - before.cpu, report.cpu - fleetBefore.cpu];
  print(`processor time: server ${cpu.toFixed(1)} s, simulator ${own.toFixed(1)} s`);
  print(
    `server ${before.memory} MB with all waiting, ${after.memory} MB after it; simulator ${megabytes.toFixed(0)} MiB`,
  );
  const isKept = (reached.get('all received') ?? Infinity) <= RECEIVED_MS && p95 < P95_MS && broken === 0;
  print(`all within ${seconds(RECEIVED_MS)} and p95 below ${P95_MS} ms: ${isKept ? 'yes' : 'NO'}`);
  if (!isKept) process.exitCode = 1;
}

/** Processes that take what processor time they get. */
function startBusy(count: number): readonly ChildProcess[] {
  return Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
}

refuseFewDescriptors();
if (options.over === 'mqtt' && MOSQUITTO === undefined) {
  print('mosquitto is not installed.');
  process.exit(1);
}
await withDatabaseFile(async (file) => {
  const token = randomBytes(20).toString('hex');
  const other = randomBytes(20).toString('hex');
  const { company, group } = await fill(file, token, other);
  const broker = options.over === 'mqtt' ? await startBroker(file) : null;
  const brokerUrl = `mqtt://127.0.0.1:${BROKER_PORT}`;
  const server = await startGateway(file, {
    // One address stands for the many networks of a fleet.
    ...{ LOG_LEVEL: 'error', TRUST_PROXY: '127.0.0.1' },
    ...(broker === null ? {} : { MQTT_URL: brokerUrl }),
    ...(options.profiles === undefined
      ? {}
      : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profiles}` }),
  });
  const plan: FleetPlan = {
    ...{ url: server.url, tokens: deviceTokens ?? token, serialNumbers, rampMs: RAMP_MS },
    mqtt: broker === null ? null : { url: brokerUrl, companyId: String(company) },
  };
  const begin = (script: string, given: FleetPlan | OthersPlan): ChildProcess => {
    const child = fork(new URL(script, import.meta.url).pathname, { execArgv: ['--import', 'tsx'] });
    child.send(given);
    return child;
  };
  const fleet = begin('./terminals/fleet.ts', plan);
  const tokens = { "the terminals' company": token, 'another company': other };
  const others = begin('./terminals/others.ts', { url: server.url, tokens });
  print(
    `${TERMINALS} terminals over ${options.over}, tokens of ${options.tokens === 'device' ? 'devices' : 'a gateway'}, ${options.busy} busy processes beside them, Node ${process.version}`,
  );
  try {
    await measure(server, { fleet, others }, token, group);
  } finally {
    fleet.disconnect();
    others.disconnect();
    broker?.kill('SIGKILL');
  }
});
