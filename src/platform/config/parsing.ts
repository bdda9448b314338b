import { createHash } from 'node:crypto';

import { DAY, HOUR, MINUTE, SECOND } from '../clock.js';
import { parsePeriod, type Period } from '../period.js';
import type { PresenceLimits } from '../presence.js';

/** `offlineAfter` is the text of PRESENCE_OFFLINE_AFTER. */
export function readPresence(read: ReadSetting, offlineAfter: string): PresenceLimits {
  const offlineMs = read('PRESENCE_OFFLINE_AFTER', parseDuration, Infinity);
  const parse = (value: string): number => {
    const staleMs = parseDuration(value);
    if (staleMs >= offlineMs) throw new Error(`must be less than PRESENCE_OFFLINE_AFTER (${offlineAfter})`);
    return staleMs;
  };
  return { staleMs: read('PRESENCE_STALE_AFTER', parse, 0), offlineMs };
}

/**
 * Parses a setting by its name. If that fails, returns `onError` and records the error; the start then fails
 * with the errors of all settings.
 */
export type ReadSetting = <T>(name: string, parse: (value: string) => T, onError: T) => T;

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

const FORM = /^([0-9]{1,6})([smhd])$/;

/**
 * Milliseconds of a duration such as `30s`, `15m`, `24h` or `90d`. Errors: an `Error` that says what is
 * allowed.
 */
function parseDuration(value: string): number {
  const [, digits = '', unit = ''] = FORM.exec(value) ?? [];
  const milliseconds = Number(digits) * (UNITS[unit] ?? 0);
  if (milliseconds === 0)
    throw new Error('must be a duration of at least 1s, for example 30s, 15m, 24h or 90d');
  return milliseconds;
}

/** Retention periods; null: kept for ever. */
export interface KeptPeriods {
  readonly transactions: Period | null;
  readonly ledger: Period | null;
  readonly deliveries: Period | null;
}

/** Reads a setting such as `13 months`, or `forever`. Errors: an `Error`. */
export function parseKept(value: string): Period | null {
  if (value === 'forever') return null;
  try {
    return parsePeriod(value);
  } catch (error) {
    throw new Error(`${(error as Error).message}; or forever`, { cause: error });
  }
}

/** Reads the settings `KEEP_…`. */
export function readKeptPeriods(read: ReadSetting): KeptPeriods {
  return {
    transactions: read('KEEP_TRANSACTIONS', parseKept, null),
    ledger: read('KEEP_LEDGER', parseKept, null),
    deliveries: read('KEEP_DELIVERIES', parseKept, null),
  };
}

/**
 * Reads the URL that traces are sent to (null: no tracing) and the share of traces that are recorded, 0 to 1.
 */
export function readTraces(read: ReadSetting): {
  readonly tracesUrl: string | null;
  readonly tracesShare: number;
} {
  return {
    tracesUrl: read('TRACES_URL', parseTracesUrl, null),
    tracesShare: read('TRACES_SHARE', parseShare, 0),
  };
}

function parseTracesUrl(value: string): string | null {
  if (value === '') return null;
  // The address is logged, so it must not contain a secret.
  if (!URL.canParse(value) || !/^https?:\/\/[^\s?#@]+$/i.test(value)) {
    throw new Error('must be an address without a user, query or fragment: http://127.0.0.1:4318/v1/traces');
  }
  return value;
}

function parseShare(value: string): number {
  const share = /^[0-9]{0,1}(?:[.][0-9]{1,9})?$/.test(value) && value !== '' ? Number(value) : Number.NaN;
  if (!(share >= 0 && share <= 1)) throw new Error('must be a number from 0 to 1, for example 0.1');
  return share;
}

/** GraphQL documents by their SHA-256 in lower-case hexadecimal. */
export type OperationList = ReadonlyMap<string, string>;

/** Id of a persisted operation: SHA-256 of its document, in lower-case hexadecimal. */
export function operationHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Parses `["{ viewer { role } }"]` or `{"<SHA-256>": "{ viewer { role } }"}`. Errors: an `Error` with the
 * reason.
 */
export function parseOperationList(json: string): OperationList {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) throw shapeError();
  const operations = new Map<string, string>();
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw shapeError();
    const hash = operationHash(text);
    if (!Array.isArray(value) && name.toLowerCase() !== hash) {
      throw new Error(`"${name}" is not the SHA-256 of its document; that is ${hash}`);
    }
    operations.set(hash, text);
  }
  return operations;
}

function shapeError(): Error {
  return new Error('must hold a JSON list of documents, or an object from SHA-256 to document');
}
