import type { Random } from '../../../../src/platform/random.js';
import { bodyOf, type Attempt, type Delivery } from './attempt.js';

type Header = readonly [name: string, value: string];

/** Headers that a request may have or not, with odd values. */
const HEADERS: readonly Header[] = [
  ['Range', 'bytes=0-10'],
  ['Range', 'bytes=-9999999999999999999'],
  ['If-Match', '*'],
  ['If-Match', '"device-1-1"'],
  ['If-Match', '"x", W/"y", "'],
  ['If-None-Match', '*'],
  ['If-None-Match', '"group-1-1"'],
  ['Idempotency-Key', 'campaign'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'k'.repeat(300)],
  ['Idempotency-Key', 'a\u00ff\u00fe'],
  ['Cookie', 'access_token=x; a=b; =; ;'],
  ['Cookie', 'c'.repeat(4_000)],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer x y z'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1, ::1, x'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'javascript'],
  ['X-Request-Id', 'a\u0001b'],
  ['X-Request-Id', 'r'.repeat(2_000)],
  ['Accept', 'text/html'],
  ['Accept', '*/*;q=0'],
  ['Accept-Encoding', 'gzip, br, x;q=9'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'gzip, identity'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Expect', '100-continue'],
  ['Expect', 'something'],
  ['Upgrade', 'h2c'],
  ['Connection', 'keep-alive, Upgrade'],
  ['Host', 'evil.example:99999'],
  ['Host', ''],
  ['Traceparent', '00-zz-zz-01'],
  ['Content-Type', 'application/json; charset=utf-7'],
  ['Content-Type', 'multipart/form-data; boundary='],
  ['Padding', 'p'.repeat(20_000)],
];
/** Requests that proxies and servers may frame differently. */
const MISFRAMED: readonly (readonly string[])[] = [
  ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['Transfer-Encoding: chunked'],
  ['Transfer-Encoding: xchunked'],
  ['Transfer-Encoding: chunked, identity'],
  ['Transfer-Encoding : chunked'],
  ['Content-Length: 3', 'Content-Length: 4'],
  ['Content-Length: +3'],
  ['Content-Length: 0x10'],
  ['Content-Length: 99999999999999999999'],
  ['Content-Length: -1'],
  ['X-Folded: a\r\n b'],
  ['X-Bare: a\nb: c'],
  ['X-Nul: a\u0000b'],
  ['Host: a', 'Host: b'],
];
const DELIVERIES: readonly Delivery[] = ['slow', 'cut', 'reset', 'twice'];

/** The request with odd headers, framing or delivery; most requests stay as they are. */
export function withOddHttp(random: Random, attempt: Attempt): Attempt {
  if (random.chance(0.04)) return misframed(random, attempt);
  const more = random.chance(0.15)
    ? Array.from({ length: random.whole(1, 3) }, () => random.pick(HEADERS))
    : [];
  const headers = [...attempt.headers, ...more];
  const delivery = random.chance(0.06) ? random.pick(DELIVERIES) : attempt.delivery;
  const path = random.chance(0.03) ? otherSpelling(random, attempt.path) : attempt.path;
  const waits = more.some(([name]) => name === 'Expect' || name === 'Upgrade' || name === 'Connection');
  return { ...attempt, headers, delivery, path, ...(waits ? { isMisframed: true } : {}) };
}

function misframed(random: Random, attempt: Attempt): Attempt {
  const framing = random.pick(MISFRAMED).map((line): Header => {
    const [name = '', ...value] = line.split(': ');
    return [name, value.join(': ')];
  });
  const isChunked = framing.some(([name, value]) => name === 'Transfer-Encoding' && value === 'chunked');
  const length = bodyOf(attempt).length;
  const chunked = Buffer.concat([
    Buffer.from(`${length.toString(16)}\r\n`),
    bodyOf(attempt),
    Buffer.from(random.pick(['\r\n0\r\n\r\n', '\r\n0\r\nTrailer: x\r\n\r\n', '\r\nzz\r\n', ''])),
  ]);
  const body = isChunked && length > 0 && random.chance(0.8) ? chunked : attempt.body;
  return { ...attempt, headers: [...attempt.headers, ...framing], body, isMisframed: true };
}

function otherSpelling(random: Random, path: string): string {
  return random.pick([
    `http://evil.example${path}`,
    `//evil.example${path}`,
    `${path}/`,
    path.replace('/v1', '/V1'),
    path.replace('/v1', '//v1'),
    `/x/..${path}`,
    `${path}%00`,
    `${path}#x`,
    `${path};a=b`,
    '*',
    '/docs',
    '/v1/openapi.json',
    '/metrics',
    '/readyz',
  ]);
}
