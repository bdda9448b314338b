import { describe, expect, it } from 'vitest';

import { fleet } from '../support/fleet.js';
import { ROUTES } from '../support/openapi-check.js';
import { sendRaw } from '../support/raw-http.js';
import { ask, titled, type PathValue } from '../support/route-requests.js';
import { useSampleRecords } from '../support/sample-records.js';
import { useServer, type Reply } from '../support/server.js';

const server = useServer();
const existing = useSampleRecords(server);
const unknown: PathValue = () => '987654321';
const READS = ROUTES.filter(({ method }) => method === 'GET');
const SINGLE = READS.filter(({ paged }) => paged !== true);

/** Headers without those that differ from one request to the next. */
function headersOf({ headers }: Reply): Record<string, string> {
  const changing = ['date', 'x-request-id', 'x-rate-limit-remaining', 'x-rate-limit-reset'];
  return Object.fromEntries([...headers].filter(([name]) => !changing.includes(name)));
}

const asHead = (route: (typeof ROUTES)[number]) => ({ ...route, method: 'HEAD' as never });

describe('contract 4: HEAD', () => {
  it.each(titled(READS))('%s: HEAD has the status and headers of GET, and no body', async (_, route) => {
    for (const choose of [existing, unknown]) {
      const get = await ask(server.acme.client, route, choose);
      const head = await ask(server.acme.client, asHead(route), choose);
      expect([head.status, head.text]).toEqual([get.status, '']);
      expect(headersOf(head)).toEqual(headersOf(get));
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
    expect((await ask(server.anonymous, asHead(route), existing)).status).toBe(401);
  });

  it('has the Content-Length of a file with its content, whatever its size', async () => {
    for (const size of [0, 1, 2, 3, 100_000, 300_001]) {
      const id = await fleet.file(server.acme.client, `head ${size}.bin`, new Uint8Array(size));
      const url = `${server.url}/v1/files/${id}?access_token=${server.acme.token}`;
      const head = await fetch(url, { method: 'HEAD' });
      const get = await fetch(url);
      const bytes = (await get.arrayBuffer()).byteLength;
      for (const { headers } of [head, get]) expect(headers.get('content-length')).toBe(String(bytes));
    }
  });

  it('leaves the connection usable for the next request', async () => {
    const query = `access_token=${server.acme.token}`;
    const { text, statuses } = await sendRaw(
      server.url,
      `HEAD /v1/groups?${query} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `OPTIONS /v1/groups HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`,
      `HEAD /v1/groups/none?${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(statuses).toEqual([200, 204, 404]);
    expect(text).not.toContain('{');
  });
});

describe('contract 36: If-None-Match', () => {
  it.each(titled(SINGLE))('%s is 304 for the present ETag, with GET and HEAD', async (_, route) => {
    const current = await ask(server.acme.client, route, existing);
    const etag = current.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    for (const given of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const each of [route, asHead(route)]) {
        const options = { headers: { 'if-none-match': given } };
        const reply = await ask(server.acme.client, each, existing, undefined, options);
        expect([reply.status, reply.text, reply.headers.get('etag')], given).toEqual([304, '', etag]);
      }
    }
    for (const given of ['"other"', etag.slice(1, -1)]) {
      const options = { headers: { 'if-none-match': given } };
      expect((await ask(server.acme.client, route, existing, undefined, options)).text).toBe(current.text);
    }
  });

  it('is 200 after a change', async () => {
    const { client } = server.acme;
    await client.post('groups', { name: 'watched' });
    const headers = { 'if-none-match': (await client.get('groups/watched')).headers.get('etag') ?? '' };
    expect((await client.get('groups/watched', undefined, { headers })).status).toBe(304);
    await client.put('groups/watched', { name: 'Watched' });
    expect((await client.get('groups/Watched', undefined, { headers })).status).toBe(200);
  });
});
