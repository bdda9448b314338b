import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

import type { Fields } from './client.js';
import { expectDocumented } from './openapi-check.js';

export const INGEST = '/ingest/v1/transactions';
export const NDJSON = 'application/x-ndjson';

export interface LineReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The JSON objects of the answer, one per line. */
  readonly lines: readonly Fields[];
}

export type LineStream = ReturnType<typeof openLines>;

/** A request with NDJSON that goes on for as long as the test wants. */
export function openLines(url: string, token: string | null, headers: Fields = {}) {
  const request = url.startsWith('https') ? requestHttps : requestHttp;
  const sent = request(new URL(INGEST, url), {
    method: 'POST',
    agent: false,
    rejectUnauthorized: false,
    headers: {
      'Content-Type': NDJSON,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string>),
    },
  });
  sent.on('error', () => undefined);
  const begun = once(sent, 'response').then(([response]) => response as IncomingMessage);
  begun.catch(() => undefined);
  let text = '';
  const reply = async (): Promise<LineReply> => {
    const response = await begun;
    response.setEncoding('utf8');
    for await (const part of response as AsyncIterable<string>) text += part;
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Fields);
    const { statusCode: status = 0, headers: received } = response;
    const contentType = received['content-type'] ?? '';
    expectDocumented({
      method: 'POST',
      url: new URL(INGEST, url),
      status,
      contentType,
      body: lines[0],
      text,
    });
    return { status, headers: received, text, lines };
  };
  return {
    sent,
    /** Resolves to the response once its headers have arrived. Nothing of its body is read before `reply`. */
    begun,
    /** Resolves to the whole response; the request is left as it is. */
    reply,
    /** Text of the answer that was read so far. */
    text: () => text,
    /** Resolves when the bytes are given to the connection. */
    write: (bytes: string | Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        sent.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    /** Ends the request; resolves to the whole response. */
    end: async () => {
      sent.end();
      return await reply();
    },
  };
}

/** Sends a whole body of NDJSON. */
export async function sendLines(
  url: string,
  token: string | null,
  body: string | Uint8Array,
  headers: Fields = {},
): Promise<LineReply> {
  const stream = openLines(url, token, headers);
  stream.sent.write(body);
  return await stream.end();
}

/** Rows as NDJSON. */
export const ndjson = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** A card payment as an export has it; `n` makes it different from others. */
export function ingestRow(n: number, overrides: Fields = {}): Fields {
  return {
    transaction_type: 'switch',
    serial_number: `S-${n % 7}`,
    logical_number: `L-${n % 7}`,
    app_name: 'shop.rb',
    detail: '',
    framework_version: null,
    status: 'success',
    sent: '0200',
    received: '0210',
    parsed: {
      type: 'sale',
      status: 'approved',
      amount: 100 + n,
      status_reason: '00',
      card: { brand: 'visa', first_digits: '411111', last_digits: '1111' },
    },
    started_at: new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString(),
    finished_at: '2026-03-03T09:00:00-03:00',
    reference: `I-${n}`,
    ...overrides,
  };
}

/** Row of a transaction in progress: without response and end. */
export const runningRow = (n: number, overrides: Fields = {}): Fields =>
  ingestRow(n, { status: 'running', received: null, parsed: null, finished_at: null, ...overrides });

export const ingestRows = (count: number, first = 0): Fields[] =>
  Array.from({ length: count }, (_, n) => ingestRow(first + n));

/** The last line of an answer without an error. */
export const totalsOf = (created: number, repeated = 0, rejected = 0): Fields => ({
  total: created + repeated + rejected,
  created,
  repeated,
  rejected,
});
