import { isIP } from 'node:net';
import { readFileSync, statSync } from 'node:fs';

import { parseOperationList, type OperationList } from './operation-list.js';

/** Everything that can be set; made from the environment by `readConfig`, once, at start. */
export interface Config {
  readonly databaseFile: string;
  readonly host: string;
  readonly port: number;
  /** Requests an hour for each client address; 0 is off. */
  readonly rateLimitPerHour: number;
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly logLevel: LogLevel;
  readonly maxFileBytes: number;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** What derived tokens are made with; null: kept in a file beside the database. */
  readonly tokenSecret: string | null;
  /** Opens introspection, suggestions and the GraphiQL page. */
  readonly graphqlDevelopment: boolean;
  /** The only GraphQL documents that run; null for any. */
  readonly graphqlAllowList: OperationList | null;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is wrong with the settings, one line for each; the process ends with code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  readonly secret?: boolean;
}

export const SETTINGS: readonly Setting[] = [
  { name: 'DATABASE_URL', fallback: 'file:data/gateway.db', meaning: 'file:PATH of the SQLite file' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'PORT', fallback: '4000', meaning: 'port to listen on; 0 takes a free one' },
  {
    name: 'RATE_LIMIT_PER_HOUR',
    fallback: '3600',
    meaning: 'requests an hour for each client address; 0 is off',
  },
  { name: 'TRUST_PROXY', fallback: '', meaning: 'comma-separated addresses or networks of trusted proxies' },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: LOG_LEVELS.join(', ') },
  { name: 'MAX_FILE_BYTES', fallback: '33554432', meaning: 'largest file that can be uploaded' },
  {
    name: 'TLS_CERT_FILE',
    fallback: '',
    meaning: 'certificate chain (PEM); with TLS_KEY_FILE, HTTPS is served',
  },
  { name: 'TLS_KEY_FILE', fallback: '', meaning: 'private key (PEM)' },
  { name: 'TOKEN_SECRET', fallback: '', meaning: 'secret of at least 32 characters', secret: true },
  { name: 'TOKEN_SECRET_FILE', fallback: '', meaning: 'file with that secret, readable by its owner only' },
  {
    name: 'GRAPHQL_DEVELOPMENT',
    fallback: '0',
    meaning: '1 opens introspection, suggestions and a page for trying queries at /graphql',
  },
  {
    name: 'GRAPHQL_ALLOW_LIST',
    fallback: '',
    meaning: 'JSON file of the only GraphQL documents that run: a list, or an object by SHA-256',
  },
];

const MIN_SECRET_LENGTH = 32;
const MAX_FILE_BYTES = 1024 ** 3;

/** Reads and checks all settings; throws a `ConfigError` that names every problem. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = [];
  const text = (name: string): string => {
    const given = environment[name]?.trim();
    return given === undefined || given === ''
      ? (SETTINGS.find((s) => s.name === name)?.fallback ?? '')
      : given;
  };
  const check = <T>(name: string, read: (value: string) => T, otherwise: T): T => {
    try {
      return read(text(name));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return otherwise;
    }
  };
  const config: Config = {
    databaseFile: check('DATABASE_URL', databaseFile, ''),
    host: check('HOST', host, ''),
    port: check('PORT', wholeNumber(0, 65_535), 0),
    rateLimitPerHour: check('RATE_LIMIT_PER_HOUR', wholeNumber(0, 1_000_000_000), 0),
    trustProxy: check('TRUST_PROXY', proxies, []),
    logLevel: check('LOG_LEVEL', logLevel, 'info'),
    maxFileBytes: check('MAX_FILE_BYTES', wholeNumber(1, MAX_FILE_BYTES), 1),
    tls: check('TLS_CERT_FILE', () => tls(text('TLS_CERT_FILE'), text('TLS_KEY_FILE')), null),
    tokenSecret: check(
      'TOKEN_SECRET',
      () => tokenSecret(text('TOKEN_SECRET'), text('TOKEN_SECRET_FILE')),
      null,
    ),
    graphqlDevelopment: check('GRAPHQL_DEVELOPMENT', onOrOff, false),
    graphqlAllowList: check('GRAPHQL_ALLOW_LIST', allowList, null),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The settings in force, by name, with secrets redacted. */
export function describeConfig(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SETTINGS.map(({ name, fallback, secret }) => {
      const given = environment[name]?.trim() ?? '';
      return [name, given === '' ? fallback : secret === true ? '[redacted]' : given];
    }),
  );
}

function databaseFile(value: string): string {
  const match = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(value);
  if (match?.[1] === undefined) throw new Error('must be file:PATH, for instance file:data/gateway.db');
  return match[1];
}

function host(value: string): string {
  if (isIP(value) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)) {
    throw new Error('must be an address or a host name');
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

function proxies(value: string): readonly string[] {
  const entries = value.split(',').map((entry) => entry.trim());
  if (value === '') return [];
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const width = isIP(address) === 4 ? 32 : 128;
    const bitsFit = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= width);
    if (isIP(address) === 0 || !bitsFit || rest.length > 0) {
      throw new Error(`"${entry}" is not an address or network; name the proxies, for instance 10.0.0.0/8`);
    }
  }
  return entries;
}

function logLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function tls(certFile: string, keyFile: string): Config['tls'] {
  if (certFile === '' && keyFile === '') return null;
  if (certFile === '' || keyFile === '') throw new Error('TLS_CERT_FILE and TLS_KEY_FILE go together');
  return { cert: readText(certFile), key: readText(keyFile) };
}

function tokenSecret(value: string, file: string): string | null {
  if (value !== '' && file !== '') throw new Error('TOKEN_SECRET and TOKEN_SECRET_FILE exclude each other');
  if (value === '' && file === '') return null;
  return checkedSecret(value === '' ? readSecretFile(file) : value);
}

function onOrOff(value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error('must be 0 or 1');
  return value === '1';
}

function allowList(file: string): OperationList | null {
  if (file === '') return null;
  const json = readText(file);
  try {
    return parseOperationList(json);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

export function checkedSecret(secret: string): string {
  if (secret.length < MIN_SECRET_LENGTH)
    throw new Error(`must have at least ${MIN_SECRET_LENGTH} characters`);
  if (new Set(secret).size < 8) throw new Error('must be random: it repeats a few characters only');
  return secret;
}

/** A secret's file must be readable by its owner only. */
export function readSecretFile(file: string): string {
  const secret = readText(file).trim();
  if ((statSync(file).mode & 0o077) !== 0) throw new Error(`${file} can be read by others: chmod 600 it`);
  return secret;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause: error,
    });
  }
}
