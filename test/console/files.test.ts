import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { ROOT } from '../documents/markdown.js';
import { sendHttp } from '../support/client.js';
import { startServer, useServer } from '../support/server.js';

const server = useServer();
const BUILT = join(ROOT, 'dist/console/assets');
const SCRIPT = `/console/assets/${readdirSync(BUILT).find((name) => /^index-.*\.js$/.test(name)) ?? ''}`;

const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(server.url + path, { method, redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the files of the console', () => {
  it.each(['/console/', '/console/devices', '/console/devices/12?panel=history', '/console/a/b.c'])(
    'are led by the page at %s, which browsers ask for each time',
    async (path) => {
      const page = await ask(path);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.text).toContain(SCRIPT);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self'; .*; require-trusted-types-for 'script';/,
      );
      expect(policy).not.toMatch(/unsafe|[*]|https?:/);
      const headers = { 'if-none-match': page.headers.get('etag') ?? '' };
      // `fetch` would ask for a new copy.
      expect((await sendHttp(server.url + path, { headers })).status).toBe(304);
    },
  );

  it.each([
    ['/console', '/console/'],
    ['/console?to=/devices', '/console/?to=/devices'],
  ])('begin with a slash: %s leads to %s', async (path, target) => {
    const { status, headers } = await ask(path);
    expect([status, headers.get('location')]).toEqual([302, target]);
  });

  it.each([
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('are kept by browsers for ever, compressed as they accept: %s', async (accepted, encoding) => {
    const { status, headers } = await ask(SCRIPT, { 'accept-encoding': accepted }, 'HEAD');
    expect([status, headers.get('content-encoding')]).toEqual([200, encoding]);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('vary')).toBe('Accept-Encoding');
  });

  it('are the same in each encoding', async () => {
    const [plain = '', ...others] = await Promise.all(
      ['identity', 'br', 'gzip'].map(
        async (encoding) => (await ask(SCRIPT, { 'accept-encoding': encoding })).text,
      ),
    );
    expect(plain.length).toBeGreaterThan(10_000);
    expect(others.every((text) => text === plain)).toBe(true);
  });

  it.each(['index-AAAAAAAA.js', 'index.js.br', '..%2Findex.html', ''])(
    'are 404 below assets/ where they do not exist: %s',
    async (name) => {
      const { status, headers } = await ask(`/console/assets/${name}`);
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    },
  );

  it('take GET, HEAD and OPTIONS', async () => {
    for (const path of ['/console/', '/console/devices', SCRIPT]) {
      const { status, headers } = await ask(path, {}, 'POST');
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });

  it('say whether GraphiQL is on, and that no e-mail is sent', async () => {
    const development = await startServer({ graphqlDevelopment: true });
    const page = await sendHttp(`${development.url}/console/`);
    await development.stop();
    expect(page.text).toContain('<html data-graphiql data-no-mail lang="en">');
    expect((await ask('/console/')).text).toContain('<html data-no-mail lang="en">');
  });
});
