import { describe, expect, it } from 'vitest';

import { useServer } from '../support/server.js';

const server = useServer({ rateLimitPerHour: 100 });

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const get = (accept?: string, method = 'GET') =>
  fetch(server.url, { method, redirect: 'manual', ...(accept === undefined ? {} : { headers: { accept } }) });

describe('contract 30: /', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'is JSON with links for a client that accepts %s',
    async (accept) => {
      const response = await get(accept);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const paths = { docs: '/docs', openapi: '/openapi.json', graphql: '/graphql', healthz: '/healthz' };
      expect(await response.json()).toEqual({ name: 'terminal-gateway', ...paths });
    },
  );

  it('leads a browser to the console', async () => {
    const { status, headers } = await get(BROWSER);
    expect([status, headers.get('location'), headers.get('vary')]).toEqual([302, '/console/', 'Accept']);
  });

  it('names paths that exist', async () => {
    const links = Object.values((await (await get()).json()) as Record<string, string>).slice(1);
    for (const link of links) {
      const response = await fetch(server.url + link);
      // GraphQL refuses a GET that a link could make.
      expect(response.status, link).toBe(link === '/graphql' ? 400 : 200);
    }
  });

  it('takes GET, HEAD and OPTIONS, and needs neither token nor budget', async () => {
    const head = await get(undefined, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
    const options = await get(undefined, 'OPTIONS');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await get(undefined, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(head.headers.get('x-rate-limit-remaining')).toBeNull();
  });
});
