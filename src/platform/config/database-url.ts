import { readText } from './text-file.js';

/** Where the records are: a file, or a database of a PostgreSQL server, whose URL has the password. */
export type DatabaseUrl = { readonly file: string } | { readonly server: string };

/**
 * Parses `file:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`. `passwordFile` is the file of the password, for a URL
 * without one. Errors: an `Error` that says what is wrong; it never shows the password.
 */
export function parseDatabaseUrl(value: string, passwordFile = ''): DatabaseUrl {
  const file = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(value)?.[1];
  if (file !== undefined) {
    if (passwordFile !== '') throw new Error('DATABASE_PASSWORD_FILE is for PostgreSQL only');
    return { file };
  }
  if (!/^postgres(ql)?:\/\//.test(value)) {
    throw new Error(
      'must be file:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME, for example file:data/gateway.db',
    );
  }
  return { server: serverUrl(value, passwordFile).href };
}

function serverUrl(value: string, passwordFile: string): URL {
  if (!URL.canParse(value))
    throw new Error('is not a URL: postgres://USER:PASSWORD@HOST:PORT/NAME is the form');
  const url = new URL(value);
  if (url.pathname.length < 2 || url.pathname.slice(1).includes('/')) {
    throw new Error('must name a database: postgres://USER:PASSWORD@HOST:PORT/NAME');
  }
  if (url.username === '') throw new Error('must name a user: postgres://USER:PASSWORD@HOST:PORT/NAME');
  if (passwordFile !== '') {
    if (url.password !== '') throw new Error('has a password: leave out DATABASE_PASSWORD_FILE');
    url.password = encodeURIComponent(readText(passwordFile).trim());
  }
  return url;
}

/** Without the password, the user and the parameters: for messages, for example `postgres://db.example:5432/gateway`. */
export function databaseName(url: DatabaseUrl): string {
  if ('file' in url) return url.file;
  const { hostname, port, pathname } = new URL(url.server);
  return `postgres://${hostname === '' ? 'localhost' : hostname}:${port === '' ? '5432' : port}${pathname}`;
}

/** A setting as it may be printed. */
export function withoutPassword(value: string): string {
  return value.replace(/^((?:postgres(?:ql)?|mqtts?):\/\/[^:@/]*):[^@/]*@/, '$1:[redacted]@');
}
