import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

import { readDuration } from '../clock.js';
import { readText } from '../files.js';
import type { MailSettings } from '../mail.js';
import type { Period } from '../timestamps.js';
import { LOG_LEVELS, type LogLevel } from './settings.js';

/** Invalid settings, one problem per line; the process ends with exit code 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

// Functions named `parse…` return the value of a setting. Errors: an `Error` that says what is allowed.

export function parseHost(value: string): string {
  if (isIP(value) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)) {
    throw new Error('must be an IP address or a host name');
  }
  return value;
}

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };
}

/** Entries of a comma-separated list; none for empty text. */
const entriesOf = (value: string): string[] =>
  value === '' ? [] : value.split(',').map((entry) => entry.trim());

export function parseNetworks(value: string): readonly string[] {
  const entries = entriesOf(value);
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

/** A list of origins as browsers spell them: in lower case, without the default port of the scheme. */
export function parseOrigins(value: string): readonly string[] {
  return entriesOf(value).map((entry) => {
    if (/^https?:\/\/[^\s/?#@*]+$/i.test(entry) && URL.canParse(entry)) return new URL(entry).origin;
    throw new Error(
      `"${entry}" is not an origin: write https://host or https://host:port, without a path, a slash at the end or *`,
    );
  });
}

export function parseLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

export function parseSwitch(value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error('must be 0 or 1');
  return value === '1';
}

/** Milliseconds of a duration such as `30s`, `15m`, `24h` or `90d`. */
export function parseDuration(value: string): number {
  const milliseconds = readDuration(value) ?? 0;
  if (milliseconds === 0)
    throw new Error('must be a duration of at least 1s, for example 30s, 15m, 24h or 90d');
  return milliseconds;
}

const PERIOD = /^([1-9]\d{0,4}) ?(d|days?|w|weeks?|m|months?|y|years?)$/i;
const MAX_MONTHS = 1_200;
const MAX_DAYS = 36_500;
const PERIODS: Readonly<Record<string, Period>> & { readonly d: Period } = {
  d: { months: 0, days: 1 },
  w: { months: 0, days: 7 },
  m: { months: 1, days: 0 },
  y: { months: 12, days: 0 },
};

/** Reads `90 days`, `12 weeks`, `13 months` or `2 years`, also as `90d`, `12w`, `13m` or `2y`. Errors: an `Error`. */
export function parsePeriod(text: string): Period {
  const [, digits = '', unit = ''] = PERIOD.exec(text.trim()) ?? [];
  const count = Number(digits);
  if (count === 0)
    throw new Error(`must be a length of time from 1 day on, for example 90 days or 13 months`);
  const { months, days } = PERIODS[unit.charAt(0).toLowerCase()] ?? PERIODS.d;
  const period = { months: months * count, days: days * count };
  if (period.months > MAX_MONTHS || period.days > MAX_DAYS) throw new Error('must be 100 years at most');
  return period;
}

/** A period such as `13 months`; null for `forever`. */
export function parseKept(value: string): Period | null {
  if (value === 'forever') return null;
  try {
    return parsePeriod(value);
  } catch (error) {
    throw new Error(`${(error as Error).message}; or forever`, { cause: error });
  }
}

export function parseTracesUrl(value: string): string | null {
  if (value === '') return null;
  // The address is logged, so it must not contain a secret.
  if (!URL.canParse(value) || !/^https?:\/\/[^\s?#@]+$/i.test(value)) {
    throw new Error('must be an address without a user, query or fragment: http://127.0.0.1:4318/v1/traces');
  }
  return value;
}

/** An origin of this server, or nothing. */
export function parsePublicUrl(value: string): string {
  if (value === '' || /^https?:\/\/[^\s/?#@]+$/i.test(value)) return value;
  throw new Error('must be an address without a path or a slash at the end: https://gateway.example');
}

/** How e-mails are sent; null without `SMTP_URL`. The errors never show the password. */
export function parseMail(url: string, from: string, publicUrl: string): MailSettings | null {
  if (url === '') return null;
  if (!/^smtps?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
    throw new Error('must be an address such as smtps://USER:PASSWORD@smtp.example');
  }
  if (publicUrl === '') throw new Error('needs PUBLIC_URL, to which the links in e-mails lead');
  return { url, from: from === '' ? `terminal-gateway@${new URL(publicUrl).hostname}` : from };
}

export function parseShare(value: string): number {
  const share = /^[0-9]{0,1}(?:[.][0-9]{1,9})?$/.test(value) && value !== '' ? Number(value) : Number.NaN;
  if (!(share >= 0 && share <= 1)) throw new Error('must be a number from 0 to 1, for example 0.1');
  return share;
}

/** GraphQL documents by their SHA-256 in lower-case hexadecimal, and by the ids that a file gives them. */
export type OperationList = ReadonlyMap<string, string>;

/** Id of a persisted operation: SHA-256 of its document, in lower-case hexadecimal. */
export const operationHash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads the file of a list of operations; null without a file. */
export function parseAllowList(file: string): OperationList | null {
  if (file === '') return null;
  const json = readText(file);
  try {
    return operationsOf(JSON.parse(json));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The operations of `["{ viewer { role } }"]`, of `{"<SHA-256 or SHA-1>": "{ viewer { role } }"}`, or of a manifest of
 * Apollo: `{"format": "apollo-persisted-query-manifest", "operations": [{"id": "1", "body": "{ viewer { role } }"}]}`.
 */
function operationsOf(value: unknown): OperationList {
  if (typeof value !== 'object' || value === null) throw notOperations();
  const { format, operations: manifest } = value as Readonly<Record<string, unknown>>;
  const isManifest = format === 'apollo-persisted-query-manifest' && Array.isArray(manifest);
  const entries = isManifest
    ? (manifest as readonly Readonly<Record<string, unknown>>[]).map(({ id, body }) => [String(id), body])
    : Object.entries(value);
  const operations = new Map<string, string>();
  for (const [id = '', text] of entries as readonly (readonly [string, unknown])[]) {
    if (typeof text !== 'string') throw notOperations();
    const hash = operationHash(text);
    operations.set(hash, text);
    if (isManifest) operations.set(id, text);
    if (isManifest || Array.isArray(value)) continue;
    const named = id.toLowerCase();
    const sha1 = createHash('sha1').update(text).digest('hex');
    if (named !== hash && named !== sha1) {
      throw new Error(`"${id}" is not the SHA-256 of its document, which is ${hash}, nor its SHA-1`);
    }
    operations.set(named, text);
  }
  return operations;
}

function notOperations(): Error {
  return new Error(
    'must hold a JSON list of documents, an object from SHA-256 or SHA-1 to document, or a manifest of Apollo',
  );
}
