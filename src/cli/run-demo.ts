import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Server } from '../app/server.js';
import { databaseTools } from '../database/open.js';
import { demoCommands, createDemo, type Demo, type DemoRequest } from '../demo/demo.js';
import { DAY, MINUTE, SECOND, systemClock } from '../platform/clock.js';
import { ConfigError, readConfig, type Config } from '../platform/config/config.js';
import { databaseName } from '../platform/config/database-url.js';
import { loadTokenSecret, newTokenSecret } from '../platform/config/token-secret.js';
import { fileCause } from '../platform/storage/file-errors.js';
import { Api } from '../simulator/api.js';
import { Figures } from '../simulator/figures.js';
import { findFleet } from '../simulator/fleet.js';
import { HttpClient } from '../simulator/http-client.js';
import { Pauses } from '../simulator/pauses.js';
import { Simulation } from '../simulator/simulation.js';
import type { CommandIo } from './command-io.js';
import { createServerProcess, runServer } from './run-server.js';
import { waitForStopSignal } from './signals.js';

export interface DemoOptions {
  /** Whole number from 0 to 2^32 - 1: the same seed gives the same records. */
  readonly seed: number;
  /** Replaces the setting PORT. */
  readonly port?: number | undefined;
  /** Folder for `demo.db`, which replaces an earlier one and is kept; otherwise a temporary folder. */
  readonly dir?: string | undefined;
  /** URL of an empty database that is filled instead, and kept. */
  readonly database?: string | undefined;
  /** Whether terminals of the fleet are simulated. */
  readonly simulate: boolean;
}

/** Fills a new database with a demo fleet and serves it until SIGTERM, SIGINT or SIGHUP. DATABASE_URL is ignored. */
export async function runDemo(io: CommandIo, options: DemoOptions): Promise<void> {
  const { port, dir, database } = options;
  io.notice(`Filling a new database with the demo fleet of seed ${options.seed}. This takes a few seconds.`);
  const settings = readConfig({ LOG_LEVEL: 'warn', ...io.environment, DATABASE_URL: database ?? '' });
  const folder = dir === undefined ? temporaryFolder() : resolve(dir);
  try {
    const place = database === undefined ? { file: join(folder, 'demo.db') } : settings.database;
    await (await databaseTools(place)).makeEmpty();
    const tokenSecret = database === undefined ? null : newTokenSecret();
    const overrides = { database: place, uploadFolder: folder, tokenSecret, graphqlDevelopment: true };
    await serveDemo(io, { ...settings, ...overrides, port: port ?? settings.port }, options);
  } finally {
    if (dir === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Errors: `ConfigError` if TMPDIR is no folder that this user can write to. */
function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'terminal-gateway-demo-'));
  } catch (error) {
    const problem = fileCause(error) ?? (error as Error).message;
    throw new ConfigError([
      `TMPDIR: no folder can be made in ${tmpdir()}: ${problem}. Set TMPDIR to another folder, or name one with --dir.`,
    ]);
  }
}

async function serveDemo(io: CommandIo, config: Config, { seed, simulate }: DemoOptions): Promise<void> {
  const started = systemClock.elapsed();
  let token: string | null = null;
  const serverProcess = await createServerProcess(config, { graphiqlToken: () => token });
  const demo = await fillDatabase(serverProcess.server, {
    seed,
    tokenSecret: loadTokenSecret(config),
    onProgress: io.progress('Filling'),
  });
  token = demo.token;
  const seconds = ((systemClock.elapsed() - started) / 1000).toFixed(1);
  io.notice(`The demo fleet of seed ${seed} was made in ${seconds} s, in ${databaseName(config.database)}`);
  let stopTerminals = (): void => undefined;
  // SIGHUP: the terminal was closed.
  const stopSignal = waitForStopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
  void stopSignal.then(() => stopTerminals());
  await runServer(serverProcess, io, {
    stopSignal,
    onListening: (url) => {
      printWelcome(io, url, demo, simulate);
      if (simulate) stopTerminals = startTerminals(io, url, demo, seed);
    },
  });
}

async function fillDatabase(server: Server, options: DemoRequest): Promise<Demo> {
  try {
    return await createDemo(server.database, systemClock, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const DEMO_TERMINALS = 10;

/** Terminals of the demo fleet at work: a few requests a second in all, until the returned function breaks all connections. */
function startTerminals(io: CommandIo, url: string, { gatewayToken: token }: Demo, seed: number): () => void {
  const all = new Pauses();
  let simulation: Simulation | null = null;
  const run = async (): Promise<void> => {
    const client = new HttpClient(new URL(url), new Figures(), systemClock);
    const fleet = await findFleet(new Api(client, token, all), DEMO_TERMINALS, undefined).finally(() =>
      client.close(),
    );
    if (all.hasEnded()) return;
    simulation = new Simulation({
      url: new URL(url),
      clock: systemClock,
      transport: { over: 'http' },
      seed,
      hasFaults: true,
      forMs: 24 * DAY,
      rampMs: 5 * SECOND,
      everyMs: 10 * SECOND,
      terminals: fleet.devices.map((device) => ({ ...device, token, isNamed: true })),
      notify: { token, everyMs: MINUTE, groupId: null },
    });
    await simulation.run();
  };
  run().catch((error: unknown) => {
    if (all.hasEnded()) return;
    io.notice(
      `The simulated terminals have stopped: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  return () => {
    all.end();
    simulation?.abort();
  };
}

function printWelcome({ print }: CommandIo, url: string, demo: Demo, simulate: boolean): void {
  print('');
  print(`Users, all with the password ${demo.password}`);
  print(`  ${demo.emails.join(', ')}`);
  print(`Token of the administrator of ${demo.company}: ${demo.token}`);
  print(`Token that also speaks for its terminals (scopes read, write, terminals): ${demo.gatewayToken}`);
  print('');
  print('Paste one of these into another shell:');
  for (const command of demoCommands(url, demo, systemClock.now())) print(`\n  ${command}`);
  print('\nTo open in a browser:');
  print(`  ${url}/graphql  GraphQL: try queries, with the token in place`);
  print(`  ${url}/docs     REST: all calls with examples`);
  if (simulate) {
    print(
      `\n${DEMO_TERMINALS} simulated terminals of ${demo.company} are at work: they fetch software, report, record`,
    );
    print('transactions, and get a notification each minute. --no-simulate leaves them out.');
  }
  print('\nCtrl-C stops the demo.');
}
