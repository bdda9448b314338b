import { beforeAll, expect, it } from 'vitest';

import { rowsIn } from '../support/fleet.js';
import { ingestRow, ndjson, NDJSON } from '../support/line-stream.js';
import { useServer, type Fields } from '../support/server.js';
import { newTerminal } from '../support/terminals.js';

const server = useServer();

const row = (reference: string): Fields =>
  ingestRow(1, { serial_number: 'SN-1', logical_number: 'number of SN-1', reference });
const TERMINAL = '/terminal/v1/transactions';
const INGEST = '/ingest/v1/transactions';
/** The ways in, with what a firmware sends there; five payments together. */
const WAYS = [
  [TERMINAL, 'application/json', JSON.stringify(row('json'))],
  [TERMINAL, NDJSON, ndjson([row('line')])],
  [TERMINAL, NDJSON, ndjson([row('line 1'), row('line 2')])],
  [INGEST, NDJSON, ndjson([row('ingest')])],
] as const;

let tokens: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { token: device } = await newTerminal(server.acme, 'SN-1');
  const { token: ingest } = await server.member('acme', 'operator', ['ingest']);
  tokens = { [TERMINAL]: device, [INGEST]: ingest };
});

const sendAll = () =>
  Promise.all(
    WAYS.map(async ([path, type, body]) => {
      const headers = { authorization: `Bearer ${tokens[path]}`, 'content-type': type };
      const response = await fetch(server.url + path, { method: 'POST', body, headers });
      const retryAfter = Number(response.headers.get('retry-after'));
      return { status: response.status, retryAfter, text: await response.text() };
    }),
  );

it('RU-70 a payment that could not be stored is answered with 503, and stored once when it is sent again', async () => {
  const unlock = await server.place.lock('transactions');
  const refused = await sendAll();
  await unlock();
  for (const { status, retryAfter, text } of refused) {
    expect([status, retryAfter > 0], text).toEqual([503, true]);
    expect(JSON.parse(text)).toMatchObject({ code: 'busy' });
  }
  expect(await rowsIn(server, 'transactions')).toBe(0);
  for (const result of ['created', 'repeated']) {
    const answers = await sendAll();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { text } of answers) expect(text).toMatch(new RegExp(`"${result}":[12],|"${result}"`));
    expect(await rowsIn(server, 'transactions')).toBe(5);
  }
});

it('a payment that meets an unexpected error is answered with 500, however it is sent', async () => {
  await server.place.sql('delete from transactions');
  const repair = await server.place.failInserts('transactions');
  const failed = await sendAll();
  await repair();
  expect(failed.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
});
