import { getIntrospectionQuery } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { ownServer, type TestServer } from '../support/server.js';

let server: TestServer;
afterEach(() => {
  delete process.env.NODE_ENV;
});

describe('the schema in production', () => {
  it.each([undefined, 'development', 'production', 'test'])(
    'GQ-01 is closed whatever NODE_ENV says: %s',
    async (environment) => {
      if (environment === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = environment;
      server = await ownServer();
      for (const query of ['{ __schema { types { name } } }', '{ grups { nodes { name } } }']) {
        const { status, text } = await server.acme.graphql(query);
        expect(status).toBe(400);
        expect(text).not.toMatch(/Did you mean|"Device"|stack/);
      }
    },
  );

  it('GQ-12 has no landing page: a browser gets JSON', async () => {
    server = await ownServer();
    const browser = createClient(server.url, null);
    for (const path of ['/graphql', '/graphql/']) {
      const { status, headers, text } = await browser.get(path, undefined, {
        headers: { accept: 'text/html,application/xhtml+xml' },
      });
      expect(status).toBe(400);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(text).not.toContain('<');
    }
  });

  it('GQ-20 has no incremental delivery, and responds in plain JSON', async () => {
    server = await ownServer();
    for (const query of [
      '{ viewer { ... @defer { role } } }',
      '{ viewer { scopes @stream } }',
      'query @live { viewer { role } }',
      'query ($a: String) { group(name: $a) { name @export(as: "a") } }',
    ]) {
      const { status, headers, body } = await server.acme.graphql(query, undefined, {
        headers: { accept: 'multipart/mixed;deferSpec=20220824, application/json' },
      });
      expect(status).toBe(400);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(body.errors?.[0]?.message).toMatch(/^Unknown directive/);
    }
  });
});

describe('the schema in development', () => {
  it('is open to every token, with suggestions', async () => {
    server = await ownServer({ graphqlDevelopment: true });
    const open = await server.acme.graphql<{ __schema: { types: unknown[] } }>(getIntrospectionQuery());
    expect(open.body.errors).toBeUndefined();
    expect(open.body.data.__schema.types.length).toBeGreaterThan(20);
    const misspelt = await server.acme.graphql('{ grup { id } }');
    expect(misspelt.body.errors?.[0]?.message).toContain('Did you mean');
    const { status } = await server.anonymous.post('/graphql', { query: '{ __schema { types { name } } }' });
    expect(status).toBe(401);
  });

  const HTML = { accept: 'text/html' };

  it('has GraphiQL, which loads nothing from other sites and runs nothing inline', async () => {
    server = await ownServer({ graphqlDevelopment: true });
    const page = await server.anonymous.get('/graphql', undefined, { headers: HTML });
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|blob:/);
    expect(page.text).not.toMatch(/<script>| on[a-z]+="|javascript:/);
    const links = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    const assets = links.filter((link) => link.startsWith('/graphql/'));
    expect(links.filter((link) => !assets.includes(link)).sort()).toEqual(['/docs', 'data:,']);
    expect(assets).toHaveLength(4);
    const workers = page.text.match(/\/graphql\/graphiql\/[0-9a-f]{16}\/\w+\.worker\.js/g) ?? [];
    expect(workers).toHaveLength(3);
    for (const path of [...assets, ...workers]) {
      const asset = await fetch(`${server.url}${path}`);
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(asset.headers.get('content-security-policy')).toBe(policy);
    }
  });

  it('gives GraphiQL a token only if there is one, and only to browsers on this machine', async () => {
    const pageOf = async (running: TestServer, headers: Record<string, string>): Promise<string> => {
      const { status, text } = await createClient(running.url, null).get('/graphql', undefined, {
        headers: { ...HTML, ...headers },
      });
      expect(status).toBe(200);
      return text;
    };
    const secret = '0123456789abcdef0123456789abcdef01234567';
    server = await ownServer({ graphqlDevelopment: true }, { graphiqlToken: () => secret });
    for (const host of ['127.0.0.1:4000', 'localhost', 'localhost:4000', '[::1]:4000']) {
      expect(await pageOf(server, { host }), host).toContain(secret);
    }
    for (const [name, value] of [
      ['host', 'rebound.example'],
      ['host', '203.0.113.7:4000'],
      ['host', 'localhost.evil.example'],
      ['x-forwarded-for', '127.0.0.1'],
      ['forwarded', 'for=203.0.113.7'],
      ['via', '1.1 proxy'],
    ] as const) {
      const page = await pageOf(server, { [name]: value });
      expect(page, `${name}: ${value}`).not.toContain(secret);
      expect(page).toContain('Replace the dots under Headers');
    }
    server = await ownServer({ graphqlDevelopment: true });
    expect(await pageOf(server, {})).toContain('Bearer ...');
  });
});
