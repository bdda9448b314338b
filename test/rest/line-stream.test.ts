import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { rowsIn } from '../support/fleet.js';
import {
  INGEST,
  ingestRow,
  ingestRows,
  ndjson,
  openLines,
  sendLines,
  totalsOf,
} from '../support/line-stream.js';
import type { LineStream } from '../support/line-stream.js';
import { sendRaw } from '../support/raw-http.js';
import { ownServer, startServer, useServer, type Fields, type Member } from '../support/server.js';

const BODY_MS = 1_500;
/** Less than some of these streams take. */
const REQUEST_MS = 1_000;
const IDLE_MS = 400;
const SOON = { interval: 20 };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const GZIP = { 'Content-Encoding': 'gzip' };

const any = expect.any(String) as string;

const timeouts = { bodyMs: BODY_MS, requestMs: REQUEST_MS, headersMs: 500, checkMs: 50 };
const server = useServer({}, { timeouts });
let ingest: Member;
const streams: LineStream[] = [];
beforeAll(async () => {
  ingest = await server.member('acme', 'operator', ['ingest']);
});
afterEach(async () => {
  for (const { sent } of streams.splice(0)) sent.destroy();
  await expect.poll(() => server.metric('http_waiting_bytes'), SOON).toBe(0);
});

function open(member: Pick<Member, 'token'> = ingest, headers: Fields = {}): LineStream {
  const stream = openLines(server.url, member.token, headers);
  streams.push(stream);
  return stream;
}

const count = (): Promise<number> => rowsIn(server, 'transactions');

/** Resolves when so many rows are stored besides those of before. */
const stored = async (before: number, rows: number): Promise<void> =>
  await expect.poll(async () => (await count()) - before, SOON).toBe(rows);

describe('a request to ingest', () => {
  it.each([
    ['401 without a token', 401, 'unauthenticated', {}, () => null],
    ['401 with an unknown token', 401, 'unauthenticated', {}, () => 'a'.repeat(40)],
    ['415 without a type', 415, 'not_ndjson', { 'Content-Type': '' }, () => ingest.token],
    ['415 for JSON, which /v1 reads', 415, 'not_ndjson', JSON_TYPE, () => ingest.token],
    ['415 for a compressed body', 415, 'unsupported_encoding', GZIP, () => ingest.token],
    [
      '415 for another charset',
      415,
      'unsupported_charset',
      { 'Content-Type': 'application/x-ndjson; charset=utf-16' },
      () => ingest.token,
    ],
  ])('is %s, and stores nothing', async (_what, status, code, headers, token) => {
    const before = await count();
    const reply = await sendLines(server.url, token(), ndjson([ingestRow(1)]), headers);
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.lines).toEqual([{ message: any, code, request_id: reply.headers['x-request-id'] }]);
    expect(await count()).toBe(before);
  });

  it('is 403 without the scope ingest, which no other includes', async () => {
    const all = await server.member('acme', 'admin', ['read', 'write', 'admin']);
    const viewer = await server.member('acme', 'viewer', ['read', 'ingest']);
    for (const { token } of [all, viewer]) {
      const { status, lines } = await sendLines(server.url, token, ndjson([ingestRow(1)]));
      expect([status, lines[0]?.code]).toEqual([403, 'forbidden']);
    }
  });

  it('takes the token in the query too, the type in any case, and a slash at the end', async () => {
    const text = ndjson([ingestRow(2)]);
    const { text: raw, statuses } = await sendRaw(
      server.url,
      `POST ${INGEST}/?access_token=${ingest.token} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`,
      `Content-Type: Application/X-NDJSON; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    expect(statuses).toEqual([200]);
    expect(raw).toContain(JSON.stringify(totalsOf(1)));
  });

  it.each(['application/ndjson', 'application/jsonl; charset=utf-8', 'Application/JSONL'])(
    'takes its rows as %s too, here and from terminals',
    async (type) => {
      const headers = { 'Content-Type': type };
      const { status, lines } = await sendLines(server.url, ingest.token, ndjson([ingestRow(2)]), headers);
      expect([status, lines.at(-1)]).toEqual([200, expect.objectContaining({ total: 1, rejected: 0 })]);
      const url = `${server.url}/terminal/v1/transactions`;
      const terminal = await fetch(url, { method: 'POST', headers, body: '{}' });
      // Without a token: with another type, it would be 415 only after that.
      expect(terminal.status).toBe(401);
    },
  );

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('is 405 for %s', async (method) => {
    const { status, headers, body } = await server.acme.client.request(method, INGEST);
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    if (method !== 'HEAD') expect(body.code).toBe('method_not_allowed');
  });

  it('is 204 for OPTIONS, and 404 for paths beside it', async () => {
    const { status, headers } = await server.anonymous.request('OPTIONS', INGEST);
    expect([status, headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    for (const path of ['/ingest', '/ingest/v1', '/ingest/v1/devices', '/ingest/v2/transactions']) {
      expect((await server.acme.client.post(path, {})).status).toBe(404);
    }
  });

  it('has a place of four of its company, given back when it ends', async () => {
    const opened = [1, 2, 3, 4].map(() => open());
    for (const stream of opened) await stream.write('\n');
    let refused = await sendLines(server.url, ingest.token, '');
    await expect
      .poll(async () => (refused = await sendLines(server.url, ingest.token, '')).status, SOON)
      .toBe(503);
    expect(refused.lines[0]?.code).toBe('busy');
    expect(refused.headers['retry-after']).toBe('10');
    expect(await server.metric('http_refused_total{limit="ingest_of_company"}')).toBeGreaterThan(0);
    const foreign = await server.member('beta', 'operator', ['ingest']);
    expect((await sendLines(server.url, foreign.token, '')).status).toBe(200);
    expect((await opened[0]?.end())?.lines).toEqual([totalsOf(0)]);
    opened[1]?.sent.destroy();
    await expect.poll(async () => (await sendLines(server.url, ingest.token, '')).status, SOON).toBe(200);
  });
});

describe('the answer of ingest', () => {
  it('comes when the whole body was read; each batch is committed before', async () => {
    const before = await count();
    const stream = open();
    let hasBegun = false;
    void stream.begun.then(() => (hasBegun = true));
    await stream.write(ndjson([{}, ...ingestRows(499, 1_000)]));
    await stored(before, 499);
    await stream.write(ndjson(ingestRows(300, 2_000)));
    expect(hasBegun).toBe(false);
    const { status, lines } = await stream.end();
    expect([status, lines[0]?.result, lines[1]]).toEqual([200, 'rejected', totalsOf(799, 0, 1)]);
  });

  it('may be longer than what is kept in memory', async () => {
    const bad = ndjson(Array.from({ length: 3_000 }, (_, n) => ({ [`é${n}${'x'.repeat(50)}`]: 1 })));
    const { status, text, lines } = await sendLines(server.url, ingest.token, bad);
    expect([status, text.length > 300_000, lines.at(-1)]).toEqual([200, true, totalsOf(0, 0, 3_000)]);
    expect(lines.slice(0, -1).map(({ line }) => line)).toEqual(Array.from(lines.slice(1), (_, n) => n + 1));
    expect(text).toContain('has unknown fields: é2999x');
  });

  it('RU-70 to a single row speaks of this row by its status', async () => {
    const reply = async (row: Fields) => (await sendLines(server.url, ingest.token, ndjson([row]))).status;
    expect(await reply(ingestRow(2_500))).toBe(200);
    expect(await reply(ingestRow(2_500))).toBe(200);
    expect(await reply(ingestRow(2_500, { detail: 'other' }))).toBe(422);
    expect(await reply({})).toBe(422);
  });

  it('goes on for longer than other requests may take, at the least rate, also after 100 Continue', async () => {
    const send = async (headers: Fields, first: number): Promise<void> => {
      const stream = open(ingest, headers);
      const rows = ingestRows(40, first);
      for (const row of rows) {
        await stream.write(ndjson([row]));
        await sleep(REQUEST_MS / 15);
      }
      expect((await stream.end()).lines).toEqual([totalsOf(rows.length)]);
    };
    await Promise.all([send({}, 3_000), send({ Expect: '100-continue' }, 3_100)]);
  });

  it('CF-32 is 408 where the body arrives too slowly, and stores no part of a batch', async () => {
    const stream = open();
    const [first = '', second = ''] = ingestRows(2, 4_000).map((row) => ndjson([row]));
    await stream.write(`${first}${second.slice(0, 20)}`);
    const { status, lines } = await stream.reply();
    const message = expect.stringContaining('less than 1024 bytes per second') as string;
    expect([status, lines]).toEqual([408, [{ message, code: 'too_slow', request_id: any }]]);
    expect((await sendLines(server.url, ingest.token, first)).lines).toEqual([totalsOf(1)]);
  });

  it('is 408 where not even the first byte arrives', async () => {
    const stream = open();
    stream.sent.flushHeaders();
    const { status, lines } = await stream.reply();
    expect([status, lines[0]?.code]).toEqual([408, 'too_slow']);
  });

  it.each(['before', 'in the middle of'])(
    'is 503 when nothing is stored any more, %s a stream',
    async (when) => {
      const own = await ownServer();
      const { token } = await own.member('acme', 'operator', ['ingest']);
      const stream = openLines(own.url, token);
      const fail = (): void => own.app.database.health.report('db_corrupt');
      if (when === 'before') fail();
      await stream.write(ndjson([...ingestRows(499), {}]));
      if (when !== 'before') {
        await expect.poll(() => rowsIn(own, 'transactions'), SOON).toBe(499);
        fail();
        await stream.write(ndjson(ingestRows(500, 500)));
      }
      const { status, headers, lines } = await stream.end();
      const error = { code: 'db_corrupt', message: any, request_id: any };
      expect([status, headers['retry-after']]).toEqual([503, '300']);
      expect(lines.at(-1)).toEqual(when === 'before' ? error : { error, ...totalsOf(499, 0, 1) });
      expect(lines.length).toBe(when === 'before' ? 1 : 2);
    },
  );

  it('is 500 after an unexpected error, which only the log shows', async () => {
    const stream = open();
    const before = await count();
    await stream.write(ndjson(ingestRows(500, 8_000)));
    await stored(before, 500);
    const repair = await server.place.failInserts('transactions');
    await stream.write(ndjson(ingestRows(500, 9_000)));
    const { status, text, lines } = await stream.end();
    await repair();
    expect([status, lines]).toMatchObject([500, [{ error: { code: 'internal' }, ...totalsOf(500) }]]);
    expect(text).not.toMatch(/constraint|groups/);
    expect(server.logs.join('')).toMatch(/groups[._]name/);
  });

  it('ends with an error once the token is revoked', async () => {
    const member = await server.member('acme', 'operator', ['ingest']);
    const stream = open(member);
    const before = await count();
    await stream.write(ndjson(ingestRows(500, 5_000)));
    await stored(before, 500);
    await server.revoke(member);
    server.clock.advance(5_000);
    await stream.write(ndjson(ingestRows(500, 6_000)));
    const { status, lines } = await stream.end();
    expect([status, lines]).toMatchObject([401, [{ error: { code: 'unauthenticated' }, ...totalsOf(500) }]]);
    expect(await count()).toBe(before + 500);
  });
});

describe('a stream when the server stops', () => {
  it('ends with what was committed, and says that the server stops', async () => {
    const own = await startServer();
    const stream = openLines(own.url, own.acme.token);
    await stream.write(ndjson(ingestRows(700)));
    const stored = async (): Promise<unknown> => (await own.acme.client.get('transactions')).body.pagination;
    await expect.poll(stored, SOON).toMatchObject({ total_entries: 500 });
    const reply = stream.reply();
    const stopped = own.app.stop(10_000);
    const { status, headers, lines } = await reply;
    expect([status, headers['retry-after']]).toEqual([503, '10']);
    expect(lines).toEqual([
      {
        error: {
          code: 'stopping',
          message: 'The server is stopping. Rows after those of the totals are not stored: send them again.',
          request_id: expect.any(String) as unknown,
        },
        ...totalsOf(500),
      },
    ]);
    await stopped;
    await own.place.remove();
  });
});

describe('a client of ingest', () => {
  it('that leaves in the middle keeps its committed batches, and nothing of the next', async () => {
    const before = await count();
    const stream = open();
    const rows = ingestRows(1_200, 30_000);
    await stream.write(ndjson(rows.slice(0, 500)));
    await stored(before, 500);
    await stream.write(`${ndjson(rows.slice(500, 900))}{"transaction_type":"sw`);
    stream.sent.destroy();
    await expect.poll(() => server.metric('http_waiting_bytes'), SOON).toBe(0);
    expect(await count()).toBe(before + 500);
    expect((await sendLines(server.url, ingest.token, ndjson(rows))).lines).toEqual([totalsOf(700, 500)]);
    expect(await server.place.check()).toEqual([]);
  });

  it('that reads nothing of a long answer is cut', async () => {
    const own = await ownServer({}, { timeouts: { idleMs: IDLE_MS } });
    const stream = openLines(own.url, own.acme.token);
    // Refused rows, whose answers have more bytes than the sockets of both sides hold.
    const bad = `{"${'x'.repeat(50)}":1}\n`.repeat(2_000);
    for (let n = 0; n < 40; n += 1) await stream.write(bad);
    stream.sent.end();
    (await stream.begun).pause();
    const cutAfterIdleTime = (): Promise<number> => {
      own.clock.advance(IDLE_MS);
      return own.metric('http_connections_cut_total');
    };
    await expect.poll(cutAfterIdleTime, SOON).toBe(1);
  });

  it('gets nothing of the next request on its connection mixed up', async () => {
    const text = ndjson(ingestRows(3, 50_000));
    const head = `POST ${INGEST} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ingest.token}\r\n`;
    const body = `Content-Type: application/x-ndjson\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    const last = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { statuses, text: raw } = await sendRaw(server.url, `${head}${body}${head}${body}${last}`);
    expect(statuses).toEqual([200, 200, 200]);
    expect(raw).toContain(JSON.stringify(totalsOf(3)));
    expect(raw).toContain(JSON.stringify(totalsOf(0, 3)));
  });
});
