import { getIntrospectionQuery } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';

import { createClient } from '../support/client.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  delete process.env.NODE_ENV;
});

const CLOSED: readonly [string, string][] = [
  ['the types', '{ __schema { types { name } } }'],
  ['a type', '{ __type(name: "User") { name } }'],
  ['types through a fragment', '{ ...F } fragment F on Query { __schema { types { name } } }'],
  ['types through an inline fragment', '{ ... on Query { __schema { queryType { name } } } }'],
  ['a misspelt field', '{ grups { nodes { name } } }'],
  ['a misspelt argument', '{ groups(frist: 1) { totalCount } }'],
  ['a misspelt type', '{ ... on Quer { viewer { role } } }'],
  ['a misspelt enumeration', '{ groups(orderBy: { field: NAMES }) { totalCount } }'],
  ['a misspelt input', '{ groups(filter: { nam: { eq: "a" } }) { totalCount } }'],
];

describe('the schema in production', () => {
  it.each([undefined, 'development', 'production', 'test'])(
    'GQ-01 is closed whatever NODE_ENV says: %s',
    async (environment) => {
      if (environment === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = environment;
      server = await startServer();
      for (const [what, query] of CLOSED) {
        const { status, text } = await server.acme.graphql(query);
        expect(status, what).toBe(400);
        expect(text, what).not.toMatch(/Did you mean|"Device"|stack/);
      }
      const variable = await server.acme.graphql(
        'query ($order: GroupOrder) { groups(orderBy: $order) { totalCount } }',
        { order: { field: 'NAMES' } },
      );
      expect(variable.status).toBe(400);
      expect(variable.text).not.toContain('Did you mean');
    },
  );

  it('GQ-12 has no landing page: a browser gets JSON', async () => {
    server = await startServer();
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
    server = await startServer();
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
    server = await startServer({ graphqlDevelopment: true });
    const open = await server.acme.graphql<{ __schema: { types: unknown[] } }>(getIntrospectionQuery());
    expect(open.body.errors).toBeUndefined();
    expect(open.body.data.__schema.types.length).toBeGreaterThan(20);
    const misspelt = await server.acme.graphql('{ grup { id } }');
    expect(misspelt.body.errors?.[0]?.message).toContain('Did you mean');
    const { status } = await server.anonymous.post('/graphql', { query: '{ __schema { types { name } } }' });
    expect(status).toBe(401);
  });

  it('has GraphiQL, which loads nothing from other sites', async () => {
    server = await startServer({ graphqlDevelopment: true });
    const page = await server.anonymous.get('/graphql', undefined, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//);
    const policy = page.headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    expect(page.text).toContain(`<script nonce="${nonce}">`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
  });
});
