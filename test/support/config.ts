import { tmpdir } from 'node:os';

import type { Config } from '../../src/platform/config/config.js';
import { parseDatabaseUrl } from '../../src/platform/config/database-url.js';
import { PRESENCE_LIMITS } from '../../src/platform/terminal.js';
import { scratchFolder } from './scratch.js';

/** Nodes of one test share it. */
const SECRET_OF_NODES = 'a secret for tests only: 0123456789abcdef';

/** The settings of a server of tests; `url` is that of `DATABASE_URL`. */
export function testConfig(url: string, overrides: Partial<Config> = {}): Config {
  return {
    database: parseDatabaseUrl(url),
    databaseConnections: 12,
    uploadFolder: scratchFolder(),
    host: '127.0.0.1',
    port: 0,
    rateLimitPerHour: 1_000_000,
    trustProxy: [],
    allowedOrigins: [],
    logLevel: 'info',
    tracesUrl: null,
    tracesShare: 1,
    notificationsPerSecond: 500,
    maxFileBytes: 32 * 1024 * 1024,
    maxWalBytes: 1024 ** 3,
    presence: PRESENCE_LIMITS,
    tls: null,
    ledgerChain: false,
    keep: { transactions: null, ledger: null, deliveries: null, logs: null },
    publicUrl: '',
    mail: null,
    webhookNetworks: [],
    graphqlDevelopment: false,
    graphqlPlans: true,
    graphqlAllowList: null,
    mqtt: null,
    tokenSecret: SECRET_OF_NODES,
    ...overrides,
  };
}

/** The name of the cookie of a session, which follows from the secret of `testConfig`. */
export const SESSION_COOKIE = 'session-7bde311d';

/** Secret used if none is configured: null for the file beside a SQLite database, or one for all nodes. */
export const ownSecret = (url: string): string | null => (url.startsWith('file:') ? null : SECRET_OF_NODES);

/** The settings that a process needs to use a database. */
export function databaseEnvironment(url: string): Readonly<Record<string, string>> {
  const secret = ownSecret(url);
  return secret === null
    ? { DATABASE_URL: url }
    : { DATABASE_URL: url, TOKEN_SECRET: secret, UPLOAD_FOLDER: tmpdir() };
}
