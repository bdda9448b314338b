import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo } from 'node:net';

import { MINUTE, SECOND } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Tls } from '../../platform/config/files.js';
import { IDLE_RULE, type Connections } from './connections.js';
import { respondToUnreadable } from './unreadable.js';
import { handleUpgrades, requestsWebSocket } from './upgrade.js';

/** How long a client may take before its request or connection ends. */
export interface Timeouts {
  readonly headersMs: number;
  /** For a whole request, an upload included. */
  readonly requestMs: number;
  /** The time over which the rate is taken at which a body arrives; for the first bytes of one, too. */
  readonly bodyMs: number;
  /** For a connection without a request on which no byte moves, or whose client takes too little (`IdleRule`). */
  readonly idleMs: number;
  /** How often Node checks the first two. */
  readonly checkMs: number;
}

export const TIMEOUTS: Timeouts = {
  headersMs: 15 * SECOND,
  requestMs: 5 * MINUTE,
  bodyMs: 30 * SECOND,
  idleMs: IDLE_RULE.idleMs,
  checkMs: 2 * SECOND,
};

export const KEEP_ALIVE_MS = 65 * SECOND;
export const MAX_HEADER_BYTES = 16 * 1024;
const CLOSE_IDLE_INTERVAL_MS = 50;
/** Node offers `http/1.1` only, and refuses the handshake of clients that know no other than `http/1.0`. */
const ALPN_PROTOCOLS = ['http/1.1', 'http/1.0'];

export interface HttpListener {
  /** For example `http://127.0.0.1:4000`. */
  readonly url: string;
  /** For new connections. Throws if OpenSSL refuses it; then the earlier one stays. No effect without TLS. */
  renewCertificate(tls: Tls): void;
  /** Accepts no new connections and lets in-flight requests finish; closes the remaining connections after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Rejects if the address is in use or not allowed. */
export async function listen(
  listener: RequestListener,
  config: Pick<Config, 'host' | 'port' | 'tls'>,
  connections: Connections,
  timeouts: Timeouts = TIMEOUTS,
): Promise<HttpListener> {
  const tlsServer = config.tls === null ? null : createTlsServer(tlsOptions(config.tls, timeouts), listener);
  const server = tlsServer ?? createServer(serverOptions(timeouts), listener);
  server.timeout = timeouts.idleMs;
  connections.watch(server, tlsServer !== null);
  // No limit on their number, beyond which Node drops headers silently; their total size is limited.
  server.maxHeadersCount = 0;
  // `100 Continue` is sent after authentication (`inviteBody`); other expectations are ignored.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  respondToUnreadable(server);
  handleUpgrades(server, listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `${tlsServer === null ? 'http' : 'https'}://${host}:${port}`,
    renewCertificate: (tls) => tlsServer?.setSecureContext(tls),
    stop: (graceMs) => stopServer(server, connections, graceMs),
  };
}

function serverOptions(timeouts: Timeouts): ServerOptions {
  return {
    requestTimeout: timeouts.requestMs,
    headersTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The application checks it, so that the error response has the usual form.
    requireHostHeader: false,
    shouldUpgradeCallback: requestsWebSocket,
  };
}

function tlsOptions(tls: Tls, timeouts: Timeouts) {
  const { headersMs: handshakeTimeout } = timeouts;
  return { ...serverOptions(timeouts), ...tls, ALPNProtocols: ALPN_PROTOCOLS, handshakeTimeout };
}

/**
 * Node takes a connection for idle once its response is written, though bytes of it may wait for the client: its own
 * `close` would cut such a response. While there is one, a connection ends after its next response instead.
 */
async function stopServer(server: Server, connections: Connections, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const closeAfterwards = (_request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('Connection', 'close');
  };
  server.prependListener('request', closeAfterwards).prependListener('checkContinue', closeAfterwards);
  const closeIdle = (): void => {
    if (!connections.haveUnsent) server.closeIdleConnections();
  };
  // Others become idle when their request ends.
  const timer = setInterval(closeIdle, CLOSE_IDLE_INTERVAL_MS);
  const forceClose = setTimeout(() => server.closeAllConnections(), graceMs);
  closeIdle();
  await closed;
  clearInterval(timer);
  clearTimeout(forceClose);
}
