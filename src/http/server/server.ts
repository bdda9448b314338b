import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { Config } from '../../platform/config/config.js';
import { MINUTE, SECOND } from '../../platform/clock.js';
import { answerUnreadable } from './unreadable.js';
import { answerUpgrades, asksForSocket } from './upgrade.js';

/** How long a client may take; a slow one is not waited for any longer. */
export interface Timeouts {
  readonly headersMs: number;
  /** For a whole request, an upload included. */
  readonly requestMs: number;
  /** For a body that is no upload. */
  readonly bodyMs: number;
  /** For a client to take something of its answer, or to send something. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
}

export const TIMEOUTS: Timeouts = {
  headersMs: 15 * SECOND,
  requestMs: 5 * MINUTE,
  bodyMs: 30 * SECOND,
  idleMs: 2 * MINUTE,
  checkMs: 2 * SECOND,
};

const KEEP_ALIVE_MS = 65 * SECOND;
const MAX_CONNECTIONS = 2_000;
const MAX_HEADER_BYTES = 16 * 1024;
const CLOSE_IDLE_EVERY_MS = 50;

export interface HttpServer {
  /** Where it answers, for instance http://127.0.0.1:4000. */
  readonly url: string;
  /** Takes no new connections, lets requests under way finish, and cuts what remains after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Listens; rejects where the address is in use or not allowed. */
export async function listen(
  listener: RequestListener,
  config: Pick<Config, 'host' | 'port' | 'tls'>,
  timeouts: Timeouts = TIMEOUTS,
): Promise<HttpServer> {
  const options = {
    requestTimeout: timeouts.requestMs,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The application looks at it, so that the answer is like every other.
    requireHostHeader: false,
    shouldUpgradeCallback: asksForSocket,
  };
  const server =
    config.tls === null
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...config.tls }, listener);
  server.timeout = timeouts.idleMs;
  server.maxConnections = MAX_CONNECTIONS;
  // Their size is limited; beyond a number of them, the rest would silently be left out.
  server.maxHeadersCount = 0;
  // Whether a body is wanted is known only after authentication; other expectations are not ours to meet.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  answerUnreadable(server);
  answerUpgrades(server, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `${config.tls === null ? 'http' : 'https'}://${host}:${port}`,
    stop: (graceMs) => stopServer(server, graceMs),
  };
}

async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection becomes idle whenever its request is done.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(closeIdle);
  clearTimeout(cut);
}
