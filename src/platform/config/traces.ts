import type { ReadSetting } from './presence.js';

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
