import { tmpdir } from 'node:os';

import type { Config } from '../../src/platform/config/config.js';
import { parseDatabaseUrl } from '../../src/platform/config/database-url.js';

/** The settings of a server of tests; `url` is that of `DATABASE_URL`. */
export function testConfig(url: string, overrides: Partial<Config> = {}): Config {
  return {
    ...databaseSettings(url),
    databaseConnections: 12,
    uploadFolder: tmpdir(),
    host: '127.0.0.1',
    port: 0,
    rateLimitPerHour: 1_000_000,
    trustProxy: [],
    allowedOrigins: [],
    logLevel: 'info',
    tracesUrl: null,
    tracesShare: 1,
    maxFileBytes: 32 * 1024 * 1024,
    maxWalBytes: 1024 ** 3,
    tls: null,
    ledgerChain: false,
    graphqlDevelopment: false,
    graphqlAllowList: null,
    tokenSecret: 'a secret for tests only: 0123456789abcdef',
    ...overrides,
  };
}

/** What a configuration says of its database. */
function databaseSettings(url: string): Pick<Config, 'database'> {
  return { database: parseDatabaseUrl(url) };
}
