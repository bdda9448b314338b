import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { createServer, type Server } from '../app/server.js';
import { lockFile } from '../database/sqlite/lock.js';
import { demoCommands } from '../demo/commands.js';
import { createDemo, type Demo } from '../demo/demo.js';
import { systemClock } from '../platform/clock.js';
import { readConfig, type Config } from '../platform/config/config.js';
import { createLogger, standardOutput } from '../platform/logger.js';
import { loadTokenSecret } from '../platform/config/token-secret.js';
import { EXIT } from './exit-codes.js';
import { run } from './run-server.js';
import type { CommandIo } from './command-io.js';

export interface DemoOptions {
  /** What the demo's data is drawn from: a whole number from 0 to 2^32 - 1. */
  readonly seed: number;
  /** Instead of the PORT of the environment. */
  readonly port?: number | undefined;
  /** Where `demo.db` is made anew, and stays; otherwise in a folder that goes with the demo. */
  readonly dir?: string | undefined;
}

/** Makes a fleet in a database of its own and serves it, until told to stop. Other databases are not touched. */
export async function runDemo(terminal: CommandIo, { seed, port, dir }: DemoOptions): Promise<void> {
  const settings = readConfig({ LOG_LEVEL: 'warn', ...terminal.environment });
  const folder = dir === undefined ? mkdtempSync(join(tmpdir(), 'terminal-gateway-demo-')) : resolve(dir);
  try {
    const databaseFile = freshFile(folder);
    const local = { databaseFile, tokenSecret: null, graphqlDevelopment: true };
    const config = { ...settings, ...local, port: port ?? settings.port };
    await serveDemo(terminal, config, seed);
  } finally {
    if (dir === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** An earlier demo gives way to this one, unless it still runs. */
function freshFile(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'demo.db');
  const lock = lockFile(file);
  for (const end of ['', '-wal', '-shm', '.secret']) rmSync(`${file}${end}`, { force: true });
  lock.release();
  return file;
}

async function serveDemo(terminal: CommandIo, config: Config, seed: number): Promise<void> {
  const sink = standardOutput();
  const logger = createLogger(config.logLevel, sink);
  const started = systemClock.elapsed();
  const app = await createServer(config, logger, {
    onFatal: () => process.exit(EXIT.storage),
    lostLogLines: sink.lost,
  });
  const demo = await make(app, { seed, tokenSecret: loadTokenSecret(config) });
  const seconds = ((systemClock.elapsed() - started) / 1000).toFixed(1);
  terminal.note(`The demo fleet of seed ${seed} was made in ${seconds} s, in ${config.databaseFile}`);
  await run(app, terminal, { config, logger, greet: (url) => greet(terminal, url, demo) });
}

async function make(app: Server, options: { seed: number; tokenSecret: string }): Promise<Demo> {
  try {
    return await createDemo(app.database, systemClock, options);
  } catch (error) {
    await app.stop();
    throw error;
  }
}

function greet({ print }: CommandIo, url: string, demo: Demo): void {
  print('');
  print(`Users, all with the password ${demo.password}`);
  print(`  ${demo.emails.join(', ')}`);
  print(`Token of the administrator of ${demo.company}: ${demo.token}`);
  print('');
  print('Paste one of these into another shell:');
  for (const command of demoCommands(url, demo, systemClock.now())) print(`\n  ${command}`);
  print(`\nGraphQL, to try in a browser: ${url}/graphql`);
  print('\nCtrl-C stops the demo.');
}
