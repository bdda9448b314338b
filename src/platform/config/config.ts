import { statSync } from 'node:fs';
import { isIP } from 'node:net';

import type { PresenceLimits } from '../presence.js';
import { parseDatabaseUrl, withoutPassword, type DatabaseUrl } from './database-url.js';
import { readText, readTls, type Tls } from './files.js';
import { readMqtt, type MqttSettings } from './mqtt.js';
import {
  readKeptPeriods,
  type KeptPeriods,
  readPresence,
  type ReadSetting,
  readTraces,
  parseOperationList,
  type OperationList,
} from './parsing.js';
import { LOG_LEVELS, SETTINGS, type LogLevel } from './settings.js';

/** All settings; `readConfig` reads them from the environment once, at start. */
export interface Config {
  readonly database: DatabaseUrl;
  /** Maximum connections of this node to a PostgreSQL server. */
  readonly databaseConnections: number;
  /** Folder of temporary files of uploads, for a database that is not a file. */
  readonly uploadFolder: string;
  readonly host: string;
  readonly port: number;
  /** Requests per hour and client address; 0 means no limit. */
  readonly rateLimitPerHour: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For, -Host and -Proto headers are trusted. */
  readonly trustProxy: readonly string[];
  /** Origins whose pages may use the server besides its own, for example `https://dash.example`. */
  readonly allowedOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** URL that spans are sent to (OTLP over HTTP); null turns tracing off. */
  readonly tracesUrl: string | null;
  /** Share of traces that are recorded, 0 to 1. */
  readonly tracesShare: number;
  /** Maximum notifications that this node sends per second, over all transports. */
  readonly notificationsPerSecond: number;
  readonly maxFileBytes: number;
  /** Size of the write-ahead log in bytes from which on the server is not ready. */
  readonly maxWalBytes: number;
  /** Times after which terminals count as stale and as offline. */
  readonly presence: PresenceLimits;
  readonly tls: Tls | null;
  /** Secret that API tokens are derived from; null if it is read from a file beside the database. */
  readonly tokenSecret: string | null;
  /** Whether ledger entries get hashes, which `audit verify` checks. */
  readonly ledgerChain: boolean;
  /** Retention periods of rows. */
  readonly keep: KeptPeriods;
  /** Allows introspection, adds suggestions to errors and serves the GraphiQL page. */
  readonly graphqlDevelopment: boolean;
  /** The GraphQL documents that may run; null allows any. */
  readonly graphqlAllowList: OperationList | null;
  /** Null: notifications are not published over MQTT. */
  readonly mqtt: MqttSettings | null;
}

/** Invalid settings, one problem per line; the process ends with exit code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of settings whose values must not be printed. */
const SECRETS: readonly string[] = ['TOKEN_SECRET'];

const MIN_SECRET_LENGTH = 32;
/**
 * Three connections to listen, for work above companies and for large reads; the others for ordinary work.
 */
const MIN_CONNECTIONS = 8;
const MAX_FILE_BYTES = 1024 ** 3;
/** In ordinary operation, a log has up to 16 MiB. */
const MIN_WAL_BYTES = 32 * 1024 ** 2;

/** Reads and checks all settings. Errors: `ConfigError`, with every problem. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const values = valuesOf(environment);
  const valueOf = (name: string): string => values[name] ?? '';
  const read: ReadSetting = (name, parse, onError) => {
    try {
      return parse(valueOf(name));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return onError;
    }
  };
  const config: Config = {
    database: read('DATABASE_URL', (url) => parseDatabaseUrl(url, valueOf('DATABASE_PASSWORD_FILE')), {
      file: '',
    }),
    databaseConnections: read('DATABASE_CONNECTIONS', wholeNumber(MIN_CONNECTIONS, 1_000), MIN_CONNECTIONS),
    uploadFolder: valueOf('UPLOAD_FOLDER'),
    host: read('HOST', parseHost, ''),
    port: read('PORT', wholeNumber(0, 65_535), 0),
    rateLimitPerHour: read('RATE_LIMIT_PER_HOUR', wholeNumber(0, 1_000_000_000), 0),
    trustProxy: read('TRUST_PROXY', parseProxies, []),
    allowedOrigins: read('ALLOWED_ORIGINS', parseOrigins, []),
    logLevel: read('LOG_LEVEL', parseLogLevel, 'info'),
    ...readTraces(read),
    notificationsPerSecond: read('NOTIFICATIONS_PER_SECOND', wholeNumber(1, 100_000), 1),
    maxFileBytes: read('MAX_FILE_BYTES', wholeNumber(1, MAX_FILE_BYTES), 1),
    maxWalBytes: read('MAX_WAL_BYTES', wholeNumber(MIN_WAL_BYTES, Number.MAX_SAFE_INTEGER), MIN_WAL_BYTES),
    presence: readPresence(read, valueOf('PRESENCE_OFFLINE_AFTER')),
    tls: read('TLS_CERT_FILE', (certFile) => readTls(certFile, valueOf('TLS_KEY_FILE')), null),
    tokenSecret: read('TOKEN_SECRET', (secret) => tokenSecret(secret, valueOf('TOKEN_SECRET_FILE')), null),
    ledgerChain: read('LEDGER_CHAIN', parseSwitch, false),
    keep: readKeptPeriods(read),
    graphqlDevelopment: read('GRAPHQL_DEVELOPMENT', parseSwitch, false),
    graphqlAllowList: read('GRAPHQL_ALLOW_LIST', readAllowList, null),
    mqtt: read('MQTT_URL', (url) => readMqtt(url, valueOf), null),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
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

function parseHost(value: string): string {
  if (isIP(value) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)) {
    throw new Error('must be an IP address or a host name');
  }
  return value;
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };
}

function parseProxies(value: string): readonly string[] {
  if (value === '') return [];
  const entries = value.split(',').map((entry) => entry.trim());
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const width = isIP(address) === 4 ? 32 : 128;
    const isMask = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= width);
    if (isIP(address) === 0 || !isMask || rest.length > 0) {
      throw new Error(`"${entry}" is not an IP address or network; an example is 10.0.0.0/8`);
    }
  }
  return entries;
}

function parseLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function tokenSecret(value: string, file: string): string | null {
  if (value !== '' && file !== '') throw new Error('set TOKEN_SECRET or TOKEN_SECRET_FILE, not both');
  if (value === '' && file === '') return null;
  return checkedSecret(value === '' ? readSecretFile(file) : value);
}

function parseSwitch(value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error('must be 0 or 1');
  return value === '1';
}

function readAllowList(file: string): OperationList | null {
  if (file === '') return null;
  const json = readText(file);
  try {
    return parseOperationList(json);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the secret. Errors: an `Error` that says why it is too easy to guess. */
export function checkedSecret(secret: string): string {
  if (secret.length < MIN_SECRET_LENGTH)
    throw new Error(`must have at least ${MIN_SECRET_LENGTH} characters`);
  if (new Set(secret).size < 8) throw new Error('must be random: it has fewer than 8 different characters');
  return secret;
}

/** Errors: an `Error` if the file cannot be read, or if other users can read it. */
export function readSecretFile(file: string): string {
  const secret = readText(file).trim();
  if ((statSync(file).mode & 0o077) !== 0)
    throw new Error(`${file} can be read by other users: run chmod 600 on it`);
  return secret;
}

const FORM = /^https?:\/\/[^\s/?#@*]+$/i;

/**
 * A comma-separated list of origins, as browsers send them: `https://dash.example, http://localhost:5173`.
 * Errors: an `Error` that quotes the first entry that is no origin.
 */
function parseOrigins(value: string): readonly string[] {
  if (value === '') return [];
  return value.split(',').map((entry) => originOf(entry.trim()));
}

/** The origin as browsers spell it: in lower case, without the default port of the scheme. */
function originOf(entry: string): string {
  if (!FORM.test(entry) || !URL.canParse(entry)) {
    throw new Error(
      `"${entry}" is not an origin: write https://host or https://host:port, without a path, a slash at the end or *`,
    );
  }
  return new URL(entry).origin;
}
