import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { databaseTools } from '../database/open.js';
import { demoCommands, createDemo, type Demo } from '../demo/demo.js';
import { createSignInCode } from '../domain/people/user/account-link.service.js';
import { DAY, MINUTE, SECOND, systemClock } from '../platform/clock.js';
import { readConfig, type Config } from '../platform/config/config.js';
import { databaseName } from '../platform/config/database-url.js';
import { ConfigError } from '../platform/config/parsing.js';
import { loadTokenSecret, newTokenSecret } from '../platform/config/token-secret.js';
import { fileCause } from '../platform/files.js';
import { Api, findFleet } from '../simulator/api.js';
import { HttpClient } from '../simulator/http-client.js';
import { Pauses } from '../simulator/shared.js';
import { Simulation } from '../simulator/simulation.js';
import { Stats } from '../simulator/stats.js';
import { waitForStopSignal, type CommandIo } from './command-io.js';
import { createServerProcess, runServer } from './run-server.js';

export interface DemoOptions {
  /** Whole number from 0 to 2^32 - 1: the same seed gives the same records. */
  readonly seed: number;
  readonly port?: number | undefined;
  /** Folder for `demo.db`, which replaces an earlier one and is kept; otherwise a temporary folder. */
  readonly dir?: string | undefined;
  /** URL of an empty database that is filled instead, and kept. */
  readonly database?: string | undefined;
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
  const { server } = serverProcess;
  const demo = await createDemo(server.database, systemClock, {
    seed,
    tokenSecret: loadTokenSecret(config),
    onProgress: io.progress('Filling'),
  }).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  token = demo.token;
  const code = await createSignInCode(server.units, demo.userId);
  const seconds = ((systemClock.elapsed() - started) / 1000).toFixed(1);
  io.notice(`The demo fleet of seed ${seed} was made in ${seconds} s, in ${databaseName(config.database)}`);
  let stopTerminals = (): void => undefined;
  // SIGHUP: the terminal was closed.
  const stopSignal = waitForStopSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
  void stopSignal.then(() => stopTerminals());
  const onListening = (url: string): void => {
    const console = `${local(url)}/console/#sign-in=${code}`;
    printWelcome(io, url, { ...demo, console }, simulate);
    if (simulate) stopTerminals = startTerminals(io, url, demo, seed);
  };
  await runServer(serverProcess, io, { stopSignal, onListening });
}

const DEMO_TERMINALS = 10;

/**
 * Starts terminals of one group, so that a rollout to it reaches all of them. They send a few requests a second until the
 * returned function breaks all connections.
 */
function startTerminals(io: CommandIo, address: string, { gatewayToken: token, group }: Demo, seed: number) {
  const [url, all] = [new URL(address), new Pauses()];
  let simulation: Simulation | null = null;
  const run = async (): Promise<void> => {
    const client = new HttpClient(url, new Stats(), systemClock);
    const fleet = findFleet(new Api(client, token, all), DEMO_TERMINALS, group);
    const { terminals } = await fleet.finally(() => client.close());
    if (all.hasEnded()) return;
    simulation = new Simulation({
      url,
      clock: systemClock,
      transport: { over: 'http' },
      seed,
      hasFaults: true,
      forMs: 24 * DAY,
      rampMs: 5 * SECOND,
      everyMs: 10 * SECOND,
      renewEveryMs: null,
      scenario: null,
      terminals,
      notify: { token, everyMs: MINUTE, groupId: null },
      commands: { token, everyMs: 2 * MINUTE },
    });
    await simulation.run();
  };
  run().catch((error: unknown) => {
    if (!all.hasEnded()) io.notice(`The simulated terminals have stopped: ${(error as Error).message}`);
  });
  return () => {
    all.end();
    simulation?.abort();
  };
}

/** The URL with the name of this machine, from which alone the link signs in. */
function local(url: string): string {
  return url.replace(/^(https?:\/\/)(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])/, '$1localhost');
}

interface Welcome extends Demo {
  /** Link that signs in to the console. */
  readonly console: string;
}

function printWelcome({ print }: CommandIo, url: string, demo: Welcome, simulate: boolean): void {
  const terminals = `${DEMO_TERMINALS} simulated terminals of ${demo.company}, group ${demo.group},`;
  print(`
Users, all with the password ${demo.password}
  ${demo.emails.join(', ')}
Token of the administrator of ${demo.company}: ${demo.token}
Token that also speaks for its terminals (scopes read, write, terminals): ${demo.gatewayToken}

Paste one of these into another shell:

  ${demoCommands(url, demo, systemClock.now()).join('\n\n  ')}

To open in a browser:
  ${demo.console}
                    Console: signs in as ${demo.emails[0]}, once, within 10 minutes, on this machine
  ${url}/graphql  GraphQL: try queries, with the token in place
  ${url}/docs     REST: all calls with examples`);
  if (simulate) {
    print(`
${terminals} are at work: they fetch software, report, record
transactions, and get a notification each minute, and a command now and then. --no-simulate leaves them out.`);
  }
  print('\nCtrl-C stops the demo.');
}
