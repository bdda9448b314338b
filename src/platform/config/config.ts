import { readTls, type Tls } from '../files.js';
import { parseDatabaseUrl, withoutPassword } from './database-url.js';
import { readMqtt } from './mqtt.js';
import * as parsing from './parsing.js';
import { SETTINGS } from './settings.js';
import { secretOf } from './token-secret.js';

/** All settings, read once at start; their meanings are in `SETTINGS`. */
export type Config = Readonly<ReturnType<typeof parseSettings>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of settings whose values must not be printed. */
const SECRETS: readonly string[] = ['TOKEN_SECRET', 'SMTP_URL'];

/** Three connections to listen, for work above companies and for large reads; the others for ordinary work. */
const MIN_CONNECTIONS = 8;
const MAX_FILE_BYTES = 1024 ** 3;
/** In ordinary operation, a log has up to 16 MiB. */
const MIN_WAL_BYTES = 32 * 1024 ** 2;

/** Returns the parsed value of a setting. Records an error, with which the start then fails. */
type ReadSetting = <T>(name: string, parse: (value: string) => T) => T;

/** Reads and checks all settings. Errors: `ConfigError`, with every problem. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const values = valuesOf(environment);
  const valueOf = (name: string): string => values[name] ?? '';
  const read: ReadSetting = <T>(name: string, parse: (value: string) => T): T => {
    try {
      return parse(valueOf(name));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      // A configuration with a problem is not returned.
      return undefined as T;
    }
  };
  const config = parseSettings(read, valueOf);
  if (problems.length > 0) throw new parsing.ConfigError(problems);
  return config;
}

function parsePresence(read: ReadSetting, valueOf: (name: string) => string) {
  const offlineMs = read('PRESENCE_OFFLINE_AFTER', parsing.parseDuration);
  const parseStale = (value: string): number => {
    const staleMs = parsing.parseDuration(value);
    if (staleMs >= offlineMs)
      throw new Error(`must be less than PRESENCE_OFFLINE_AFTER (${valueOf('PRESENCE_OFFLINE_AFTER')})`);
    return staleMs;
  };
  return { staleMs: read('PRESENCE_STALE_AFTER', parseStale), offlineMs };
}

function parseSettings(read: ReadSetting, valueOf: (name: string) => string) {
  return {
    database: read('DATABASE_URL', (url) => parseDatabaseUrl(url, valueOf('DATABASE_PASSWORD_FILE'))),
    databaseConnections: read('DATABASE_CONNECTIONS', parsing.wholeNumber(MIN_CONNECTIONS, 1_000)),
    uploadFolder: valueOf('UPLOAD_FOLDER'),
    host: read('HOST', parsing.parseHost),
    port: read('PORT', parsing.wholeNumber(0, 65_535)),
    /** Requests per hour and client address; 0 means no limit. */
    rateLimitPerHour: read('RATE_LIMIT_PER_HOUR', parsing.wholeNumber(0, 1_000_000_000)),
    trustProxy: read('TRUST_PROXY', parsing.parseNetworks),
    allowedOrigins: read('ALLOWED_ORIGINS', parsing.parseOrigins),
    logLevel: read('LOG_LEVEL', parsing.parseLogLevel),
    /** URL that spans are sent to (OTLP over HTTP); null turns tracing off. */
    tracesUrl: read('TRACES_URL', parsing.parseTracesUrl),
    tracesShare: read('TRACES_SHARE', parsing.parseShare),
    notificationsPerSecond: read('NOTIFICATIONS_PER_SECOND', parsing.wholeNumber(1, 100_000)),
    maxFileBytes: read('MAX_FILE_BYTES', parsing.wholeNumber(1, MAX_FILE_BYTES)),
    maxWalBytes: read('MAX_WAL_BYTES', parsing.wholeNumber(MIN_WAL_BYTES, Number.MAX_SAFE_INTEGER)),
    presence: parsePresence(read, valueOf),
    tls: read('TLS_CERT_FILE', (certFile) => readTls(certFile, valueOf('TLS_KEY_FILE'))),
    /** Secret that API tokens are derived from; null if it is read from a file beside the database. */
    tokenSecret: read('TOKEN_SECRET', (secret) => secretOf(secret, valueOf('TOKEN_SECRET_FILE'))),
    ledgerChain: read('LEDGER_CHAIN', parsing.parseSwitch),
    keep: {
      transactions: read('KEEP_TRANSACTIONS', parsing.parseKept),
      ledger: read('KEEP_LEDGER', parsing.parseKept),
      deliveries: read('KEEP_DELIVERIES', parsing.parseKept),
      logs: read('KEEP_LOGS', parsing.parseKept),
    },
    /** Address of this server for browsers; empty if it is not known. */
    publicUrl: read('PUBLIC_URL', parsing.parsePublicUrl),
    /** Null: no e-mails are sent. */
    mail: read('SMTP_URL', (url) => parsing.parseMail(url, valueOf('MAIL_FROM'), valueOf('PUBLIC_URL'))),
    /** Networks that webhooks may be sent to besides public addresses. */
    webhookNetworks: read('WEBHOOK_NETWORKS', parsing.parseNetworks),
    graphqlDevelopment: read('GRAPHQL_DEVELOPMENT', parsing.parseSwitch),
    graphqlPlans: read('GRAPHQL_PLANS', parsing.parseSwitch),
    /** The GraphQL documents that may run; null allows any. */
    graphqlAllowList: read('GRAPHQL_ALLOW_LIST', parsing.parseAllowList),
    /** Null: notifications are not published over MQTT. */
    mqtt: read('MQTT_URL', (url) => readMqtt(url, valueOf)),
  };
}

/** Reads the files of `TLS_CERT_FILE` and `TLS_KEY_FILE` again. Errors: an `Error` if they cannot be used. */
export function readTlsSettings(environment: Environment): Tls | null {
  const values = valuesOf(environment);
  return readTls(values.TLS_CERT_FILE ?? '', values.TLS_KEY_FILE ?? '');
}

/** The settings in effect, by name, with secrets redacted. */
export function describeConfig(environment: Environment): Readonly<Record<string, string>> {
  const values = valuesOf(environment);
  const given = SECRETS.filter((name) => values[name] !== '');
  const redacted = Object.fromEntries(given.map((name) => [name, '[redacted]']));
  const { DATABASE_URL = '', MQTT_URL = '' } = values;
  const urls = { DATABASE_URL: withoutPassword(DATABASE_URL), MQTT_URL: withoutPassword(MQTT_URL) };
  return { ...values, ...urls, ...redacted };
}

/** Settings by name. An empty variable counts as not set. */
function valuesOf(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.map(({ name, defaultValue }) => {
      const value = environment[name]?.trim() ?? '';
      return [name, value === '' ? defaultValue : value];
    }),
  );
}
