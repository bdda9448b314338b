import { beforeAll, describe, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { sendRaw } from '../support/raw-http.js';
import { useServer, type Fields } from '../support/server.js';
import { openSlowClient } from '../support/slow-client.js';

const server = useServer();
const ids: Record<string, string> = {};
beforeAll(async () => {
  const { client } = server.acme;
  await fleet.logicalNumber(client, '112233');
  await fleet.logicalNumber(client, '445566');
  await fleet.group(client, 'AREA 51');
  await fleet.group(client, 'Caf\u00e9');
  await fleet.logicalNumber(client, 'Caf\u00e9');
  for (const kind of ['parameter', 'metacontent']) {
    const created = await client.post(`${kind}s`, { number: '112233', key: 'k', value: 'v' });
    ids[`${kind}s`] = String(created.record(`logical_number_${kind}`).id);
  }
});

const CALLS = [
  { path: 'parameters', method: 'GET', one: false },
  { path: 'parameters', method: 'GET', one: true },
  { path: 'parameters', method: 'POST', one: false },
  { path: 'parameters', method: 'PUT', one: true },
  { path: 'parameters', method: 'DELETE', one: true },
  { path: 'metacontents', method: 'GET', one: false },
  { path: 'metacontents', method: 'GET', one: true },
  { path: 'metacontents', method: 'POST', one: false },
  { path: 'metacontents', method: 'PUT', one: true },
  { path: 'metacontents', method: 'DELETE', one: true },
];

const REFUSED: [string, Fields, Record<string, string>, number][] = [
  ['neither', {}, {}, 422],
  ['both in the body', { number: '112233', name: 'AREA 51' }, {}, 422],
  ['both in the query', {}, { number: '112233', name: 'AREA 51' }, 422],
  ['nulls only', { number: null, name: null }, {}, 422],
  ['a number that is no text', { number: [112233] }, {}, 422],
  ['a name that is no text', { name: ['AREA 51'] }, {}, 422],
  ['an unknown number', { number: '999' }, {}, 404],
  ['an unknown name', { name: 'area 51' }, {}, 404],
  ['an unknown number in the query', {}, { number: '999' }, 404],
  ['another number in the query', { number: '112233' }, { number: '445566' }, 400],
  ['a name in the query beside a number in the body', { number: '112233' }, { name: 'AREA 51' }, 400],
];

describe.each(CALLS)('the owner selector of $method /v1/$path, one: $one', ({ path, method, one }) => {
  it.each(REFUSED)('RI-27 and contract 2: %s', async (_case, body, query, status) => {
    const at = one ? `${path}/${ids[path] ?? ''}` : path;
    const fields = method === 'GET' || method === 'DELETE' ? {} : { key: 'x', value: 'x' };
    const reply = await server.acme.client.request(method, at, { ...fields, ...body }, { query });
    expect(reply.status, reply.text).toBe(status);
    const atFault = Object.keys(reply.body.errors ?? {});
    expect(atFault.length > 0 && atFault.every((field) => field === 'number' || field === 'name')).toBe(
      status === 422,
    );
    const kept = await server.acme.client.get(path, { number: '112233' });
    expect(kept.list(path)).toMatchObject([{ key: 'k', value: 'v' }]);
  });
});

describe('the owner selector', () => {
  it('RI-27 may be in both the body and the query if they are equal', async () => {
    const query = { number: '112233' };
    expect((await server.acme.client.get('parameters', { number: '112233' }, { query })).status).toBe(200);
  });

  it.each(['name', 'number'])('RU-12 compares the %s in body and query in NFC', async (field) => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    for (const path of ['parameters', 'metacontents']) {
      for (const [body, query] of [
        [composed, decomposed],
        [decomposed, composed],
        [decomposed, decomposed],
      ]) {
        const reply = await server.acme.client.get(
          path,
          { [field]: body },
          { query: { [field]: query ?? '' } },
        );
        expect(reply.status, reply.text).toBe(200);
      }
    }
  });

  it('RI-27 and contract 8: may be a JSON number, which counts as its text', async () => {
    const reply = await server.acme.client.get('parameters', { number: 112233 });
    expect(reply.list('parameters')).toMatchObject([{ key: 'k' }]);
    const query = { number: '112233' };
    expect((await server.acme.client.get('parameters', { number: 112233 }, { query })).status).toBe(200);
  });

  it('RI-27 names the invalid fields', async () => {
    const reply = await server.acme.client.get('parameters', {});
    expect(reply.body.errors).toEqual({
      number: ['give either the number of a logical number or the name of a group'],
      name: ['give either the number of a logical number or the name of a group'],
    });
  });

  const head = (...headers: string[]): string =>
    [
      `GET /v1/parameters?access_token=${server.acme.token} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      ...headers,
      '\r\n',
    ].join('\r\n');

  it('RI-27 is read from a chunked body', async () => {
    const parts = ['{"num', 'ber":"1', '12233"}', ''];
    const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const { statuses } = await sendRaw(server.url, head('Transfer-Encoding: chunked'), ...chunks);
    expect(statuses).toEqual([200]);
  });

  it('RI-27 is 400 if the body is shorter than its Content-Length', async () => {
    const client = await openSlowClient(server.url);
    client.socket.end(`${head('Content-Length: 20')}{"num`);
    expect((await client.answer()).status).toBe(400);
    expect((await server.acme.client.get('parameters', { number: '112233' })).status).toBe(200);
  });
});
