import { afterAll, beforeAll, expect, it } from 'vitest';

import { startServer, type TestServer } from '../../support/server.js';
import { payment, record, report } from './records.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ODD = ['', 'null', '"quoted" \\ /', 'line\nend\u0001\u2028', 'é 日本 😀', `lone \ud800`.toWellFormed()];

const LONG = 'x'.repeat(40_000);

async function textOf(perPage: number): Promise<string> {
  const { acme } = server;
  const path = `/v1/transactions?per_page=${perPage}&access_token=${acme.token}`;
  return await (await fetch(`${server.url}${path}`)).text();
}

it('a list of few bytes, made of rows, has the bytes of a long one, made of records', async () => {
  const startedAt = new Date('2026-03-01T12:00:00.750Z');
  const odd = ODD.flatMap((text) => [
    report({ startedAt, detail: text, sent: text, status: 'running', finishedAt: null }),
    { ...payment({ metadata: { text } }), startedAt, finishedAt: startedAt, received: text },
  ]);
  const large = report({ startedAt: new Date('2026-02-01'), sent: LONG, received: LONG });
  await record(server, server.acme, [large, ...odd]);
  const short = await textOf(odd.length);
  const long = await textOf(odd.length + 1);
  const own = short.slice(short.indexOf('['), short.lastIndexOf(']'));
  expect(own.length).toBeGreaterThan(2_000);
  expect(long).toContain(`${own},{"transaction":`);
  expect(JSON.parse(short)).toMatchObject({ pagination: { entries: odd.length } });
});
