import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { Config } from '../platform/config.js';
import { MINUTE, SECOND } from '../platform/clock.js';

/** Time for a whole request, an upload included; a slow client is not waited for any longer. */
const REQUEST_MS = 5 * MINUTE;
const HEADERS_MS = 15 * SECOND;
const KEEP_ALIVE_MS = 65 * SECOND;
const MAX_CONNECTIONS = 2_000;
const MAX_HEADER_BYTES = 16 * 1024;

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
): Promise<HttpServer> {
  const options = {
    requestTimeout: REQUEST_MS,
    headersTimeout: HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 5 * SECOND,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const server =
    config.tls === null
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...config.tls }, listener);
  server.maxConnections = MAX_CONNECTIONS;
  // Whether a body is wanted is known only after authentication.
  server.on('checkContinue', listener);
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
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
