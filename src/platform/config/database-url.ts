import { readText } from '../files.js';

/** Location of the database: a file, or the URL of a PostgreSQL database, which contains the password. */
export type DatabaseUrl = { readonly file: string } | { readonly server: string };

/**
 * Parses `file:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`. `passwordFile` is the file of the
 * password, for a URL without one. Errors: an `Error` that says what is wrong; it never shows the password.
 */
export function parseDatabaseUrl(value: string, passwordFile = ''): DatabaseUrl {
  const file = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(value)?.[1];
  if (file !== undefined) {
    if (passwordFile !== '') throw new Error('DATABASE_PASSWORD_FILE is for PostgreSQL only');
    return { file };
  }
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new Error(`must be file:PATH or ${FORM}, for example file:data/gateway.db`);
  }
  return { server: serverUrl(value, passwordFile).href };
}

const FORM = 'postgres://USER:PASSWORD@HOST:PORT/NAME';
const ENCODING =
  'In a password, write / ? # and % as %2F %3F %23 and %25, or put the password into a file of its own';
/** Supported parameters of a URL. Others are refused, since they could change the connection in unknown ways. */
const PARAMETERS = ['host', 'options', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];
/** Modes in which the driver verifies the certificate. It warns of all except the last one. */
const VERIFIED_MODES = ['prefer', 'require', 'verify-ca', 'verify-full'];
const MODES = ['disable', 'no-verify', ...VERIFIED_MODES];

function serverUrl(value: string, passwordFile: string): URL {
  const url = urlOf(value);
  if (url.pathname.length < 2 || url.pathname.slice(1).includes('/')) {
    throw new Error(`must name a database: ${FORM}. ${ENCODING}`);
  }
  if (url.username === '') throw new Error(`must name a user: ${FORM}`);
  if (url.hash !== '') throw new Error(`has a #. ${ENCODING}`);
  for (const part of [url.username, url.password, url.hostname, url.pathname]) requireEncoded(part);
  requireParameters(url.searchParams);
  if (passwordFile !== '') {
    if (url.password !== '') throw new Error('has a password: leave out DATABASE_PASSWORD_FILE');
    url.password = encodeURIComponent(readText(passwordFile).trim());
  }
  return url;
}

/** Accepts a URL without a host, for example `postgres://USER@/NAME?host=/run/postgresql`. */
function urlOf(value: string): URL {
  const hosts = /^[^/]+:\/\/(?:[^/]*@)?([^/?]*)/.exec(value)?.[1] ?? '';
  if (hosts.includes(',')) {
    throw new Error(
      'names several hosts, which is not supported: name one, for example that of a proxy in front of them',
    );
  }
  const whole = value.replace(/^([^/]+:\/\/[^/]*@)\//, '$1localhost/');
  if (!URL.canParse(whole)) throw new Error(`is not a URL: ${FORM} is the form. ${ENCODING}`);
  return new URL(whole);
}

function requireEncoded(part: string): void {
  try {
    decodeURIComponent(part);
  } catch {
    throw new Error(`has a % that begins no code of a character. ${ENCODING}`);
  }
}

/** Errors: an `Error` for an unknown parameter, and for a file that cannot be read. */
function requireParameters(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name))
      throw new Error(`has the parameter ${name}, which is not supported: use ${PARAMETERS.join(', ')}`);
  }
  for (const name of FILES) {
    const file = parameters.get(name);
    if (file !== null) requireReadable(name, file);
  }
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!MODES.includes(mode)) throw new Error(`has the sslmode ${mode}: use one of ${MODES.join(', ')}`);
  if (VERIFIED_MODES.includes(mode)) parameters.set('sslmode', 'verify-full');
}

function requireReadable(name: string, file: string): void {
  try {
    readText(file);
  } catch (error) {
    throw new Error(`has the parameter ${name}, but ${(error as Error).message}`, { cause: error });
  }
}

/** Name for messages, without password, user and parameters, for example `postgres://db.example:5432/gateway`. */
export function databaseName(url: DatabaseUrl): string {
  if ('file' in url) return url.file;
  const { hostname, port, pathname, searchParams } = new URL(url.server);
  const host = searchParams.get('host') ?? hostname;
  return `postgres://${host === '' ? 'localhost' : host}:${port === '' ? '5432' : port}${pathname}`;
}

/** A setting without its password, for printing. The password may contain characters that should have been encoded. */
export function withoutPassword(value: string): string {
  return value.replace(/^((?:postgres(?:ql)?|mqtts?):\/\/[^:@/]*):.*@/s, '$1:[redacted]@');
}
