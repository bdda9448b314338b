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

const CALLS = ['parameters', 'metacontents'].flatMap((path) => [
  { path, method: 'GET', one: false },
  { path, method: 'GET', one: true },
  { path, method: 'POST', one: false },
  { path, method: 'PUT', one: true },
  { path, method: 'DELETE', one: true },
]);

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
  it.each(['name', 'number'])('RU-12 compares the %s in body and query in NFC', async (field) => {
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
    for (const path of ['parameters', 'metacontents']) {
      for (const [body, query] of [
        [composed, decomposed],
        [decomposed, composed],
        [decomposed, decomposed],
      ]) {
        const inQuery = { query: { [field]: query ?? '' } };
        const reply = await server.acme.client.get(path, { [field]: body }, inQuery);
        expect(reply.status, reply.text).toBe(200);
      }
    }
  });

  it('RI-27 and contract 8: may be a JSON number, which counts as its text, and equal in body and query', async () => {
    for (const [number, query] of [
      [112233, {}],
      [112233, { number: '112233' }],
      ['112233', { number: '112233' }],
    ] as const) {
      const reply = await server.acme.client.get('parameters', { number }, { query });
      expect(reply.list('parameters')).toMatchObject([{ key: 'k' }]);
    }
  });

  it('RI-27 names the invalid fields', async () => {
    const reply = await server.acme.client.get('parameters', {});
    const messages = ['give either the number of a logical number or the name of a group'];
    expect(reply.body.errors).toEqual({ number: messages, name: messages });
  });

  const head = (header: string): string =>
    `GET /v1/parameters?access_token=${server.acme.token} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`;

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
