import { on } from 'node:events';

import { createServer, type Server, type ServerOverrides } from '../app/server.js';
import { hasUsers } from '../domain/people/user/user.service.js';
import { SECOND } from '../platform/clock.js';
import { readConfig, type Config, readTlsSettings, type Environment } from '../platform/config/config.js';
import { withoutPassword } from '../platform/config/database-url.js';
import { DomainError } from '../platform/errors.js';
import { expiryOf, fileProblem } from '../platform/files.js';
import { createLogger, LogSink } from '../platform/logger.js';
import { CommandError, EXIT } from './command-error.js';
import { waitForStopSignal, type CommandIo } from './command-io.js';

/** The process ends this long after the stop signal, even if requests are still in flight. */
const STOP_MS = 29 * SECOND;

export interface ServeOptions {
  readonly acceptLoss?: boolean;
  readonly acceptCopy?: boolean;
}

export async function serve(io: CommandIo, options: ServeOptions): Promise<void> {
  // Signals that arrive before somebody waits for them are kept; they no longer end the process.
  const hangups = on(process, 'SIGHUP');
  const stopSignal = waitForStopSignal(['SIGTERM', 'SIGINT']);
  const starting = createServerProcess(readConfig(io.environment), { ...options, waitsForDatabase: true });
  // The start may wait for its database for hours: a stop signal ends it at once.
  const serverProcess = await Promise.race([starting, stopSignal.then(() => null)]);
  if (serverProcess === null) return;
  const onListening = (): void => void renewCertificates(hangups, io.environment, serverProcess);
  await runServer(serverProcess, io, { stopSignal, onListening });
}

type ServerProcess = Awaited<ReturnType<typeof createServerProcess>>;

/** A server, not listening yet, that logs to standard output and ends the process if its storage fails. */
export async function createServerProcess(
  config: Config,
  overrides: Pick<ServerOverrides, 'acceptLoss' | 'acceptCopy' | 'graphiqlToken' | 'waitsForDatabase'> = {},
) {
  const sink = new LogSink();
  const logger = createLogger(config.logLevel, sink);
  try {
    const server = await createServer(config, logger, {
      ...overrides,
      onFatal: () => process.exit(EXIT.storage),
      lostLogLines: () => sink.lost,
    });
    return { config, logger, server };
  } catch (error) {
    throw withAdvice(error, config);
  }
}

/** Listens until the stop signal, then stops gracefully. `onListening` is called once, with the server's URL. */
export async function runServer(
  { config, logger, server }: ServerProcess,
  io: CommandIo,
  given: { readonly stopSignal: Promise<NodeJS.Signals>; readonly onListening: (url: string) => void },
): Promise<void> {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error');
    process.exit(EXIT.failed);
  });
  const { url, isNew } = await start(server, config);
  logger.info({ url }, 'listening');
  io.notice(`terminal-gateway listens on ${url}`);
  given.onListening(url);
  if (isNew) adviseFirstUser(io);
  const signal = await given.stopSignal;
  logger.info({ signal }, 'stopping');
  setTimeout(() => process.exit(EXIT.failed), STOP_MS).unref();
  await server.stop();
  logger.info('stopped');
}

/** All that can refuse a start happens before requests are served: after it, only the storage ends the process. */
async function start(server: Server, config: Config): Promise<{ url: string; isNew: boolean }> {
  try {
    // A database server that is away again is waited for: it is no reason to refuse the start.
    const hasNoUser = async (): Promise<boolean> => !(await server.units.systemRead(hasUsers));
    const isNew = await hasNoUser().catch((error: unknown) => {
      if (server.database.isShared && error instanceof DomainError) return false;
      throw error;
    });
    return { url: await server.start(), isNew };
  } catch (error) {
    await server.stop();
    throw withAdvice(error, config);
  }
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: stop that program, or set PORT to another port',
  EACCES: 'may not be used by this user: set PORT to 1024 or more',
  EADDRNOTAVAIL: 'is not an address of this machine: set HOST to one of its addresses',
  ENOTFOUND: 'has no address: set HOST to a name or an address of this machine',
};

function withAdvice(error: unknown, { host, port }: Config): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const advice = syscall === 'listen' || syscall === 'getaddrinfo' ? LISTEN_ERRORS[code ?? ''] : undefined;
  if (advice !== undefined) return new CommandError(`${host} port ${port} ${advice}.`);
  const problem = fileProblem(error);
  return problem === null ? error : new CommandError(problem, EXIT.config);
}

/** Settings that commands need as well as the server: the same database, tokens of the same secret, one kind of ledger. */
const SHARED_SETTINGS = ['DATABASE_URL', 'DATABASE_PASSWORD_FILE', 'TOKEN_SECRET_FILE', 'LEDGER_CHAIN'];

function adviseFirstUser({ notice, program, environment }: CommandIo): void {
  const settings = SHARED_SETTINGS.map((name) => {
    const value = environment[name]?.trim() ?? '';
    return value === '' ? '' : `${name}='${withoutPassword(value)}' `;
  }).join('');
  notice('There is no user yet. Add the first one with:');
  notice(
    `  printf '%s' 'YOUR PASSWORD' | ${settings}${program} user add --company 'Your Company' --email you@example.com --name 'Your Name' --role admin --password-stdin`,
  );
}

/** At each SIGHUP reads the TLS files again. If they cannot be used, logs an error and keeps the earlier certificate. */
async function renewCertificates(
  hangups: AsyncIterator<unknown>,
  environment: Environment,
  { server, logger }: ServerProcess,
): Promise<never> {
  for (;;) {
    await hangups.next();
    try {
      const tls = readTlsSettings(environment);
      if (tls === null) {
        logger.info('SIGHUP has no effect, since TLS is off');
      } else {
        server.renewCertificate(tls);
        logger.info({ valid_to: expiryOf(tls) }, 'TLS certificate reread');
      }
    } catch (error) {
      logger.error({ err: error }, 'TLS files cannot be used: the earlier certificate stays in use');
    }
  }
}
