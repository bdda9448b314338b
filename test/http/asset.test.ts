import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

import { useServer } from '../support/server.js';

const server = useServer({ graphqlDevelopment: true });
let script: string;
beforeAll(async () => {
  const page = await server.anonymous.get('/graphql', undefined, { headers: { accept: 'text/html' } });
  script = / src="([^"]+graphiql\.js)"/.exec(page.text)?.[1] ?? '';
});

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** The bytes as they are sent: `fetch` would decompress them. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const sent = request(`${server.url}${path}`, { headers, method }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: await buffer(response) };
}

describe('the files of a page', () => {
  it.each<[string | undefined, string | undefined]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('are compressed as the client accepts: %s', async (accepted, encoding) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const plain = await ask('/docs');
    const reply = await ask('/docs', headers);
    expect([reply.status, reply.headers['content-encoding']]).toEqual([200, encoding]);
    expect(reply.headers.vary).toBe('Accept-Encoding');
    expect(reply.headers['content-length']).toBe(String(reply.bytes.length));
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''];
    expect((decode?.(reply.bytes) ?? reply.bytes).equals(plain.bytes)).toBe(true);
    expect(reply.headers.etag).toBe(plain.headers.etag);
  });

  it('have a fifth of their size or less, the largest too', async () => {
    for (const path of ['/docs', '/openapi.json', script]) {
      const plain = await ask(path);
      for (const encoding of ['br', 'gzip']) {
        const reply = await ask(path, { 'accept-encoding': encoding });
        expect(reply.bytes.length).toBeLessThan(plain.bytes.length / (path === script ? 3.5 : 5));
      }
    }
    expect((await ask(script, { 'accept-encoding': 'br' })).bytes.length).toBeLessThan(1_500_000);
  });

  it('are not sent again to a client that has them', async () => {
    for (const path of ['/docs', '/docs/style.css', '/openapi.json', script]) {
      const first = await ask(path, { 'accept-encoding': 'br' });
      const tag = String(first.headers.etag);
      expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
      const again = await ask(path, { 'accept-encoding': 'br', 'if-none-match': tag });
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, tag]);
      expect(again.headers.vary).toBe('Accept-Encoding');
      const other = await ask(path, { 'accept-encoding': 'br', 'if-none-match': 'W/"another"' });
      expect([other.status, other.bytes.length]).toEqual([200, first.bytes.length]);
    }
  });

  it('are described to HEAD', async () => {
    const whole = await ask('/docs', { 'accept-encoding': 'gzip' });
    const head = await ask('/docs', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag'])
      expect(head.headers[name]).toBe(whole.headers[name]);
  });
});
