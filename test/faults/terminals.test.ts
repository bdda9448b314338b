import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { SECOND, systemClock } from '../../src/platform/clock.js';
import type { Transport } from '../../src/simulator/shared.js';
import type { Summary } from '../../src/simulator/simulation.js';
import { Simulation } from '../../src/simulator/simulation.js';
import type { Client } from '../support/client.js';
import type { TestPlace } from '../support/databases/place.js';
import { freePort } from '../support/free-port.js';
import { openTo, startMosquitto, WITHOUT_MOSQUITTO } from '../support/mqtt/mosquitto.js';
import { prepareDatabase } from '../support/prepared-database.js';
import { startProgram, type Program } from '../support/program.js';
import { startProxy } from '../support/proxy.js';
import { createTerminals, simulatedSerials } from '../support/simulated-fleet.js';
import { useDatabase } from './machine.js';
import { problemsIn } from './soundness.js';

let folder: string;
let place: TestPlace;
useDatabase((given) => ({ folder, place } = given));

/** Kills of each process; with `FAULT_ROUNDS=100`, as many. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 1);
/** A round takes some seconds; at the end, what was on its way comes again after its lease. */
const LONG_MS = (120 + 30 * ROUNDS) * SECOND;
const TERMINALS = 15;

const isOnPostgres = (): boolean => place.url.startsWith('postgres:');

/** Everything that was sent has been received, and each terminal is connected. */
function expectKept(summary: Summary): void {
  expect(summary).toMatchObject({ broken: [], notifications_outstanding: 0, connected: TERMINALS });
  expect(summary.notifications_received).toBeGreaterThanOrEqual(TERMINALS * summary.notifications_sent);
  expect(summary.commands_done).toBeGreaterThan(0);
}

it(
  'CF-01 CF-22 CM-06 kill -9 of one of the servers loses and doubles no notification, command or transaction of its terminals',
  async () => {
    const count = isOnPostgres() ? 2 : 1;
    const servers = await serversOn(count);
    const summary = await terminalRounds({ ...servers, rounds: ROUNDS * count, broker: null });
    expectKept(summary);
    expect(summary.transactions_created).toBeGreaterThan(0);
    // Connections cut by the kill count as errors.
    expect(summary.errors).toBeGreaterThan(0);
    expect(await problemsIn(place)).toEqual([]);
  },
  LONG_MS,
);

it.skipIf(WITHOUT_MOSQUITTO !== null)(
  'CF-23 kill -9 of the broker during deliveries loses none, and doubles none on one connection',
  async (context) => {
    if (isOnPostgres()) context.skip('the broker does not depend on the database');
    const port = await freePort();
    const servers = await serversOn(1, { MQTT_URL: `mqtt://127.0.0.1:${port}` });
    const broker = { port, start: () => startMosquitto(folder, port, openTo(port)) };
    let receivedInRounds = 0;
    const onRound: TerminalRounds['onRound'] = ({ notifications_received: received }) => {
      receivedInRounds = received;
    };
    const summary = await terminalRounds({ ...servers, rounds: ROUNDS, broker, onRound });
    expect(receivedInRounds).toBeGreaterThan(0);
    expectKept(summary);
  },
  LONG_MS,
);

interface TerminalRounds {
  readonly rounds: number;
  /** A token with every scope. */
  readonly token: string;
  /** The servers, which serve the same database; each is started by its port. */
  readonly ports: readonly number[];
  readonly startServer: (port: number) => Promise<Program>;
  /** Null if terminals wait over HTTP, otherwise the broker, and that it is killed in place of the servers. */
  readonly broker: {
    readonly port: number;
    readonly start: () => Promise<{ readonly kill: () => Promise<void> }>;
  } | null;
  readonly onRound?: (soFar: Summary) => void;
}

/** Notifications come faster than they are confirmed, so that each kill finds some on their way. */
const NOTIFY_MS = 700;
const EVERY_MS = 1_000;
const [SHORTEST_MS, LONGEST_MS] = [500, 2_500];
/** Pauses of terminals grow if they find no broker; after this time the next kill comes anyway. */
const RECEIVING_MS = 5_000;

/** Kills a server, or the broker, in each round while simulated terminals are at work; the summary has what was broken. */
async function terminalRounds(options: TerminalRounds): Promise<Summary> {
  const { ports, startServer, broker, rounds, token } = options;
  let running = broker === null ? null : await broker.start();
  const servers = await Promise.all(ports.map(startServer));
  const proxy = await startProxy(servers.map(({ url }) => url));
  try {
    const [first] = servers;
    if (first === undefined) throw new Error('There is no server.');
    const groupId = await createTerminals(first.client(token), TERMINALS);
    const simulation = await simulationOf(proxy.url, options, groupId, first.client(token));
    const summary = simulation.run();
    while (simulation.summary().connected < TERMINALS) await sleep(100);
    for (let round = 1; round <= rounds; round += 1) {
      await allReceiving(simulation);
      await allAtWork(simulation);
      if (broker === null) {
        const index = round % servers.length;
        await servers[index]?.end('SIGKILL');
        await sleep(Math.random() * 500);
        servers[index] = await startServer(ports[index] ?? 0);
      } else {
        await running?.kill();
        await sleep(Math.random() * 500);
        running = await broker.start();
      }
      options.onRound?.(simulation.summary());
    }
    simulation.endWork();
    return await summary;
  } finally {
    await proxy.close();
    for (const server of servers) await server.end('SIGKILL');
    await running?.kill();
  }
}

/** A terminal that lost the broker connects again in its own time: before that, nothing of it can be lost. */
async function allReceiving(simulation: Simulation): Promise<void> {
  const until = systemClock.elapsed() + RECEIVING_MS;
  while (simulation.receiving < TERMINALS && systemClock.elapsed() < until) await sleep(50);
}

/** Waits for a random time, and until there is something that a kill could lose. */
async function allAtWork(simulation: Simulation): Promise<void> {
  const before = simulation.summary();
  const isSomeDone = (): boolean => {
    const now = simulation.summary();
    return (
      now.transactions_created > before.transactions_created &&
      now.notifications_received > before.notifications_received
    );
  };
  await sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
  while (!isSomeDone()) await sleep(50);
}

async function simulationOf(
  url: string,
  { token, broker }: TerminalRounds,
  groupId: number,
  client: Client,
): Promise<Simulation> {
  return new Simulation({
    url: new URL(url),
    clock: systemClock,
    renewEveryMs: null,
    scenario: null,
    hasFaults: false,
    seed: 1,
    everyMs: EVERY_MS,
    forMs: 3_600_000,
    rampMs: 500,
    notify: { token, groupId, everyMs: NOTIFY_MS },
    commands: { token, everyMs: NOTIFY_MS },
    transport: broker === null ? { over: 'http' } : await overBroker(broker.port, client),
    terminals: simulatedSerials(TERMINALS).map((serialNumber) => ({ serialNumber, token, isNamed: true })),
  });
}

async function overBroker(port: number, client: Client): Promise<Transport> {
  const reply = await client.request('POST', '/graphql', { query: '{ viewer { company { databaseId } } }' });
  const { data } = reply.body as { data: { viewer: { company: { databaseId: number } } } };
  const url = new URL(`mqtt://127.0.0.1:${port}`);
  return {
    over: 'mqtt',
    companyId: String(data.viewer.company.databaseId),
    broker: { url, username: undefined, password: undefined, ca: undefined },
  };
}

/** Servers of the built program on an empty database. */
async function serversOn(
  count: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Pick<TerminalRounds, 'token' | 'ports' | 'startServer'>> {
  const { token } = await prepareDatabase(place);
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  return {
    token,
    ports,
    startServer: (port) => startProgram(place.url, { environment: { ...environment, PORT: String(port) } }),
  };
}
