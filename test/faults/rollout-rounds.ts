/** A rollout of a release that some terminals cannot install, while servers and their database are killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';

import type { Summary } from '../../src/simulator/simulation.js';
import { audited, insertMany } from '../support/databases/rows.js';
import { freePort } from '../support/free-port.js';
import { startAedes } from '../support/mqtt/brokers.js';
import { runCommand, startCommand, startProgram, type Program } from '../support/program.js';
import { startProxy } from '../support/proxy.js';
import { createTerminals, releaseVersion, simulatedSerials } from '../support/simulated-fleet.js';
import { recovered } from './load.js';
import type { RoundOptions } from './rounds.js';
import { problemsIn } from './soundness.js';

export interface RolloutRoundOptions extends Pick<RoundOptions, 'place' | 'token' | 'databaseServer'> {
  /** For files of the run. */
  readonly folder: string;
  readonly terminals: number;
  readonly nodes: number;
  readonly rounds: number;
  /** How often each terminal does something, for example `60s`. */
  readonly every: string;
  /** Time in which the terminals start, for example `100s`; 10 ms for each if not given. */
  readonly ramp?: string;
  /** Least time between two kills, in milliseconds; at most twice that. */
  readonly pauseMs: number;
  readonly onLine?: (line: string) => void;
}

export interface RolloutRoundsResult {
  readonly summary: Summary;
  /** Kills by what was killed and the state of the rollout, for example `node 1, RUNNING`. */
  readonly kills: readonly string[];
  /** Terminals whose manifests were compared with those before the rollout. */
  readonly compared: number;
  readonly problems: readonly string[];
}

/** A run for the tests; `npm run faults -- rollout` makes a large one. */
export const SMALL = { terminals: 40, rounds: 3, every: '1s', pauseMs: 1_500 };
/** For a test, which takes half a minute, on a busy machine, in milliseconds. */
export const LONG_MS = 300_000;

/** The system keeps what killed processes have written: the disk need not have it. */
export const WITHOUT_FSYNC = { fsync: 'off' };

const CHAIN = { LEDGER_CHAIN: '1' };

/** In the second wave, 4 % fail, and less than 97 % can be proven: nothing but the failures ends it. */
const SCENARIO = {
  rollout: {
    name: 'bad sale',
    versions: [{ app: 'sale.posxml', number: '1.1' }],
    waves: [{ percent: 5, minProvenPercent: 30 }, { percent: 20, minProvenPercent: 97 }, {}],
    stopWhen: { failedPercent: 4 },
  },
  terminals: [
    { wave: 1, behaviour: 'late', percent: 5 },
    { wave: 2, behaviour: 'fails', percent: 4 },
    { wave: 2, behaviour: 'late', percent: 5 },
    { wave: 2, behaviour: 'sellsLess', percent: 5 },
    { wave: 2, behaviour: 'wrongCrc', percent: 1 },
    { wave: 2, behaviour: 'pretends', percent: 1 },
  ],
  expect: { stopsInWave: 2, undo: true },
};

/** Kills a node, or the database server, in each round until the rollout has been undone. */
export async function rolloutRounds(options: RolloutRoundOptions): Promise<RolloutRoundsResult> {
  const { place, token, folder, terminals, onLine = () => undefined } = options;
  const broker = await startAedes();
  const environment = { ...CHAIN, MQTT_URL: `mqtt://127.0.0.1:${broker.port}` };
  const start = (port: number): Promise<Program> =>
    startProgram(place.url, { environment: { ...environment, PORT: String(port) } });
  const ports = await Promise.all(Array.from({ length: options.nodes }, freePort));
  const nodes: Program[] = [];
  // One after the other: the first one creates the tables.
  for (const port of ports) nodes.push(await start(port));
  const proxy = await startProxy(nodes.map(({ url }) => url));
  try {
    const [first] = nodes;
    if (first === undefined) throw new Error('There must be a node.');
    const client = first.client(token);
    const groupId = await createTerminals(client, 0);
    await addTerminals(place, terminals);
    await releaseVersion(client, groupId, '1.1');
    onLine(`${terminals} terminals created`);
    const before = await softwareOf(options, nodes[0]);
    onLine(`${before.size} manifests read`);
    const [scenario, tokenFile] = [join(folder, 'scenario.yaml'), join(folder, 'token.txt')];
    writeFileSync(scenario, stringify(SCENARIO));
    writeFileSync(tokenFile, token);
    const given = `simulate --url ${proxy.url} --token-file ${tokenFile} --terminals ${terminals} --every ${options.every}`;
    const broking = `--over both --mqtt-url mqtt://127.0.0.1:${broker.port}`;
    const more = `--for 60m --ramp ${options.ramp ?? `${terminals * 10}ms`} --no-faults --json --scenario ${scenario}`;
    const simulation = startCommand(`${given} ${broking} ${more}`.split(' '), place.url);
    simulation.process.stderr.on('data', (bytes: Buffer) => onLine(bytes.toString().trimEnd()));
    const stateOf = async (): Promise<string | undefined> =>
      (await place.sql<{ state: string }>('select state from rollouts'))[0]?.state;
    while ((await stateOf()) === undefined && simulation.process.exitCode === null) await sleep(1_000);
    const kills: string[] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      await sleep(options.pauseMs * (1 + Math.random()));
      if (simulation.process.exitCode !== null) break;
      const { databaseServer } = options;
      const state = await stateOf();
      const victim = round % (nodes.length + (databaseServer === undefined ? 0 : 1));
      const name = victim === nodes.length ? 'PostgreSQL' : `node ${victim + 1}`;
      kills.push(`${name}, ${state}`);
      onLine(`kill ${kills.length}: ${kills.at(-1)}`);
      if (victim === nodes.length) {
        await databaseServer?.end('SIGKILL');
        await databaseServer?.start();
      } else {
        await nodes[victim]?.end('SIGKILL');
        await sleep(Math.random() * 500);
        nodes[victim] = await start(ports[victim] ?? 0);
      }
    }
    const { code } = await simulation.ended;
    if (simulation.stdout() === '') throw new Error(`simulate ended with ${code}:\n${simulation.stderr()}`);
    await recovered(client);
    const after = await softwareOf(options, nodes[0]);
    const others = [...before].filter(([serial, software]) => after.get(serial) !== software);
    const summary = JSON.parse(simulation.stdout()) as Summary;
    const problems = [
      ...(code === 0 ? [] : [`simulate ended with ${code}`, ...(summary.scenario?.problems ?? [])]),
      ...others.map(([serial]) => `terminal ${serial} does not get what it got before`),
      ...(await problemsAfter(options, summary)),
    ];
    return { summary, kills, compared: after.size, problems };
  } finally {
    await proxy.close();
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    await broker.stop();
  }
}

/** Adds terminals to the group by plain SQL, which takes seconds for 10,000. */
async function addTerminals(place: RolloutRoundOptions['place'], count: number): Promise<void> {
  const [own] = await place.sql<{ company: number; group: number; version: number }>(
    `select g.company_id as company, g.id as "group", v.id as version
     from groups as g join app_versions as v on v.company_id = g.company_id`,
  );
  if (own === undefined) throw new Error('There is no group with a version.');
  const serials = simulatedSerials(count);
  const serialOf = (n: number): string => serials[n - 1] ?? '';
  const numbers = await insertMany(place, ['logical_numbers', own.company, count], (n) => ({
    ...audited(null),
    number: serialOf(n).replace('SN', 'LN'),
    group_id: own.group,
  }));
  await insertMany(place, ['logical_number_app_versions', own.company, count], (n) => ({
    logical_number_id: numbers[n - 1] ?? 0,
    app_version_id: own.version,
    granted_at: new Date(),
  }));
  await insertMany(place, ['devices', own.company, count], (n) => ({
    ...audited(null),
    created_at: new Date(),
    serial_number: serialOf(n),
    enabled: true,
    meta: '{}',
    logical_number_id: numbers[n - 1] ?? 0,
  }));
}

const TOGETHER = 20;
const PATIENCE = 10;

/** Applications and files with their CRCs, as the manifest of each terminal names them, by serial numbers. */
async function softwareOf(
  { terminals, token }: RolloutRoundOptions,
  node: Program | undefined,
): Promise<ReadonlyMap<string, string>> {
  const url = `${node?.url}/terminal/v1/manifest`;
  const found = new Map<string, string>();
  const left = [...simulatedSerials(terminals)];
  const read = async (): Promise<void> => {
    for (let serial = left.pop(); serial !== undefined; serial = left.pop()) {
      const headers = { Authorization: `Bearer ${token}`, 'X-Serial-Number': serial };
      let reply = await fetch(url, { headers });
      // A terminal whose node has just lost PostgreSQL, or is busy, is told to come again.
      for (let tries = 0; reply.status === 503 && tries < PATIENCE; tries += 1) {
        await sleep(Number(reply.headers.get('retry-after') ?? 1) * 1_000);
        reply = await fetch(url, { headers });
      }
      if (reply.status !== 200) throw new Error(`The manifest of ${serial} has the status ${reply.status}.`);
      const { apps, files, params_dat } = (await reply.json()) as Record<string, unknown>;
      found.set(serial, JSON.stringify({ apps, files, params_dat }));
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, read));
  return found;
}

/** Traces in the database that a rollout with an undo must not leave. */
async function problemsAfter(
  { place, terminals }: RolloutRoundOptions,
  { scenario }: Summary,
): Promise<readonly string[]> {
  const count = async (what: string): Promise<number> =>
    Number((await place.sql<{ n: number }>(`select count(*) as n from ${what}`))[0]?.n);
  const granted = scenario?.waves.reduce((sum, wave) => sum + wave.granted, 0) ?? 0;
  const links = (number: string): Promise<number> =>
    count(`logical_number_app_versions as held join app_versions as version
      on version.company_id = held.company_id and version.id = held.app_version_id where version.number = '${number}'`);
  const steps = await place.sql<{ action: string }>(
    "select action from ledger where entity_type = 'rollout' order by position",
  );
  const stats: Readonly<Record<string, readonly [found: number | string, expected: number | string]>> = {
    'terminals drawn': [await count('rollout_terminals'), terminals],
    'terminals with the versions': [await count('rollout_terminals where granted_at is not null'), granted],
    'terminals of wave 3 with the versions': [
      await count('rollout_terminals where granted_at is not null and wave = 2'),
      0,
    ],
    'terminals undone': [await count('rollout_terminals where undone_at is not null'), granted],
    'numbers with the version before': [await links('1.0'), terminals],
    'numbers with the new version': [await links('1.1'), 0],
    'changes of numbers in the ledger': [
      await count("ledger where entity_type = 'logical_number' and action = 'update'"),
      2 * granted,
    ],
    'steps in the ledger': [
      steps.map(({ action }) => action).join(),
      'create,start_wave,start_wave,stop,undo',
    ],
  };
  const wrong = Object.entries(stats).filter(([, [found, expected]]) => found !== expected);
  const problems = wrong.map(([what, [found, expected]]) => `${what}: ${found} and not ${expected}`);
  for (const command of ['db check', 'audit verify']) {
    const { code, output } = await runCommand(command.split(' '), place.url, CHAIN);
    if (code !== 0) problems.push(`${command} ended with ${code}: ${output}`);
  }
  // The terminals were inserted by plain SQL.
  const found = (await problemsIn(place)).filter((each) => !each.endsWith('is not in the ledger'));
  return [...problems, ...found];
}
