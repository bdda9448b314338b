import { createServer, type Server } from '../app/server.js';
import { SECOND } from '../platform/clock.js';
import { readConfig, type Config } from '../platform/config/config.js';
import { createLogger, standardOutput, type Logger } from '../platform/logger.js';
import { hasUsers } from '../resources/user/user.service.js';
import { EXIT } from './exit-codes.js';
import { CommandError } from './explain.js';
import type { CommandIo } from './command-io.js';

/** Stopping takes no longer than this, whatever clients do. */
const STOP_MS = 29 * SECOND;

export async function serve(terminal: CommandIo): Promise<void> {
  const config = readConfig(terminal.environment);
  const sink = standardOutput();
  const logger = createLogger(config.logLevel, sink);
  const app = await createServer(config, logger, {
    onFatal: () => process.exit(EXIT.storage),
    lostLogLines: sink.lost,
  });
  await run(app, terminal, { config, logger });
}

export interface Running {
  readonly config: Config;
  readonly logger: Logger;
  /** Told once where the server listens. */
  readonly greet?: (url: string) => void;
}

/** Starts, says where it listens, and stops in good order when told to; also for the demonstration. */
export async function run(
  app: Server,
  terminal: CommandIo,
  { config, logger, greet }: Running,
): Promise<void> {
  const told = stopSignal();
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error');
    process.exit(EXIT.failed);
  });
  const url = await start(app, config);
  logger.info({ url }, 'listening');
  terminal.note(`terminal-gateway listens on ${url}`);
  greet?.(url);
  if (!(await app.units.systemRead(hasUsers))) adviseFirstUser(terminal);
  const signal = await told;
  logger.info({ signal }, 'stopping');
  setTimeout(() => process.exit(EXIT.failed), STOP_MS).unref();
  await app.stop();
  logger.info('stopped');
}

async function start(app: Server, config: Config): Promise<string> {
  try {
    return await app.start();
  } catch (error) {
    await app.stop();
    throw explainListening(error, config);
  }
}

const LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: stop that one, or set PORT to another port',
  EACCES: 'may not be used by this user: set PORT to 1024 or more',
  EADDRNOTAVAIL: "is not an address of this machine: set HOST to one of this machine's",
  ENOTFOUND: 'has no address: set HOST to a name or an address of this machine',
};

function explainListening(error: unknown, { host, port }: Config): unknown {
  const words = LISTENING[(error as NodeJS.ErrnoException).code ?? ''];
  return words === undefined ? error : new CommandError(`${host} port ${port} ${words}.`);
}

/** The first signal is waited for; the second ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let told = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (told) process.exit(EXIT.failed);
        told = true;
        resolve(signal);
      });
    }
  });
}

function adviseFirstUser({ note, program, environment }: CommandIo): void {
  const database = environment.DATABASE_URL?.trim() ?? '';
  const setting = database === '' ? '' : `DATABASE_URL='${database}' `;
  note('There is no user yet. Add the first one with:');
  note(
    `  printf '%s' 'A PASSWORD OF YOURS' | ${setting}${program} user add --company 'Your Company' --email you@example.com --name 'Your Name' --role admin --password-stdin`,
  );
}
