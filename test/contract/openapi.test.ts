import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { formatted } from '../../.config/formatted.js';
import { sampleOf, type Schema } from '../../src/rest/openapi/schema.js';
import { DOCUMENT, escaped, expectDocumented, OTHERS, problemsOf, ROUTES } from '../support/openapi-check.js';
import { useServer } from '../support/server.js';

const server = useServer();

const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('equals the golden file', async () => {
    const text = await formatted('openapi.golden.json', JSON.stringify(DOCUMENT));
    await expect(text).toMatchFileSnapshot('openapi.golden.json');
  });

  it('is served without authentication', async () => {
    const reply = await fetch(`${server.url}/openapi.json`);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await reply.json()).toEqual(JSON.parse(JSON.stringify(DOCUMENT)));
  });

  it('has exactly the routes', () => {
    const shape = (path: string): string => path.replace(/\{[^}]+\}/g, '{}');
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${shape(path)}`);
    const served = [
      ...ROUTES.map(({ method, path }) => `${method} /v1${path}`),
      ...OTHERS.map(({ method, path }) => `${method} ${path}`),
    ];
    expect(documented.sort()).toEqual(served.map(shape).sort());
  });

  it.each(Object.entries(DOCUMENT.paths))('contract 4: has all methods of %s', async (path, methods) => {
    const documented = Object.keys(methods).map((method) => method.toUpperCase());
    const others = documented.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
    for (const client of [server.anonymous, server.acme.client]) {
      const reply = await client.request('OPTIONS', path.replace(/\{[^}]+\}/g, '1'));
      expect([reply.status, reply.text]).toEqual([204, '']);
      const allowed = (reply.headers.get('allow') ?? '').split(', ');
      expect(allowed.toSorted()).toEqual([...documented, ...others].toSorted());
    }
  });

  it('has unique operation ids, and a parameter for each placeholder', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{[^}]+\}/g) ?? []);
    }
  });

  it('names operations by what they do', () => {
    const ID =
      /^(list|get|create|update|delete|report|download|record|stream|confirm|ingest|export)([A-Z][a-z]+)+$/;
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids).toEqual(ids.filter((id) => ID.test(id)));
    const known =
      'listDevices createDevice updateAppVersion getLogicalNumber createUserToken getTerminalManifest';
    expect(ids).toEqual(expect.arrayContaining(known.split(' ')));
  });

  it('has no dangling $ref', () => {
    const references = JSON.stringify(DOCUMENT).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer = ''] of references) {
      const target = pointer
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], DOCUMENT);
      expect(target, pointer).toBeDefined();
    }
  });

  it('names no schema like an interface of browsers, which it would hide in a client', () => {
    const [file = ''] = globSync('node_modules/@typescript/*/lib/lib.dom.d.ts');
    const ofBrowsers = new Set(
      Array.from(readFileSync(file, 'utf8').matchAll(/^interface (\w+)/gm), ([, name]) => name),
    );
    expect(ofBrowsers.has('Notification')).toBe(true);
    expect(Object.keys(DOCUMENT.components.schemas).filter((name) => ofBrowsers.has(name))).toEqual([]);
  });

  it('uses every schema, response and header that it declares', () => {
    const used = new Set(
      Array.from(JSON.stringify(DOCUMENT).matchAll(/"\$ref":"#\/components\/([^"]+)"/g), ([, name]) => name),
    );
    const { schemas, responses, headers } = DOCUMENT.components;
    const declared = Object.entries({ schemas, responses, headers }).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `${kind}/${name}`),
    );
    expect(declared.filter((name) => !used.has(name))).toEqual([]);
  });

  it('RU-94 has examples that are valid, and a pattern that accepts what terminals send', () => {
    const examples = [...examplesIn(DOCUMENT, '')];
    expect(examples.length).toBeGreaterThan(100);
    const wrong = examples.map(([pointer, value]) => [pointer, value, ...problemsOf(pointer, value)]);
    expect(wrong.filter(([, , problem]) => problem !== undefined)).toEqual([]);
    const install = '/paths/~1terminal~1v1~1installs/post/requestBody/content/application~1json/schema';
    for (const crc of ['31C3', '31c3']) {
      expect(problemsOf(install, { name: 'acme_sale.posxml', crc, result: 'installed' })).toEqual([]);
    }
    expect(problemsOf(install, { name: 'a', crc: '31C', result: 'installed' })).not.toEqual([]);
  });

  it('has every error response', () => {
    for (const { path, operation } of operations) {
      const always = [400, 429, 431, 500, 503];
      const ofBody = path.startsWith('/v1/') || operation.requestBody ? [408, 413, 415, 422] : [];
      for (const status of [...always, ...ofBody]) {
        expect(operation.responses[status], operation.operationId).toBeDefined();
      }
    }
  });
});

/** The examples in a part of the document, each with the pointer to its schema; and those that the page makes of schemas. */
function* examplesIn(part: unknown, pointer: string): Generator<readonly [pointer: string, value: unknown]> {
  if (typeof part !== 'object' || part === null) return;
  const { schema, example, examples } = part as { schema?: Schema; example?: unknown; examples?: unknown };
  if (example !== undefined) yield [`${pointer}/schema`, example];
  if (Array.isArray(examples)) for (const each of examples) yield [pointer, each];
  if (schema !== undefined && pointer.includes('/responses/')) {
    yield [`${pointer}/schema`, sampleOf(schema, DOCUMENT.components.schemas)];
  }
  for (const [name, value] of Object.entries(part)) yield* examplesIn(value, `${pointer}/${escaped(name)}`);
}

describe('the check of every response against the document', () => {
  const response = (status: number, body: unknown, path = '/v1/groups') => ({
    method: 'GET',
    url: new URL(path, server.url),
    status,
    body,
    text: JSON.stringify(body),
    contentType: 'application/json; charset=utf-8',
  });
  const errorObject = { message: 'No.', code: 'not_found', request_id: 'one' };

  it.each([
    ['a status that is not documented', 418, errorObject, '/v1/groups'],
    ['a success of another shape', 200, { groups: [] }, '/v1/groups'],
    ['an error with an additional field', 422, { ...errorObject, stack: 'at' }, '/v1/groups'],
    ['an unknown error code', 422, { ...errorObject, code: 'surprise' }, '/v1/groups'],
    ['a success at a path that is not documented', 200, {}, '/v1/secrets'],
    ['the same of a terminal', 200, {}, '/terminal/v1/secrets'],
    ['a manifest of another shape', 200, { apps: [] }, '/terminal/v1/manifest'],
    ['a content type that is not documented', 200, {}, '/terminal/v1/params.dat'],
  ])('fails %s', (_what, status, body, path) => {
    expect(() => expectDocumented(response(status, body, path))).toThrow('does not match the document');
  });
});

describe('the documentation page', () => {
  it('shows every operation and loads its assets from the server', async () => {
    const reply = await fetch(`${server.url}/docs`);
    const page = await reply.text();
    for (const { path, operation } of operations) {
      expect(page).toContain(`id="${operation.operationId}"`);
      expect(page).toContain(`<code>${path}</code>`);
    }
    const linked = [...page.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(([, link = '']) => link);
    expect(new Set(linked)).toEqual(new Set(['/docs/style.css', '/openapi.json']));
    for (const link of linked) expect((await fetch(`${server.url}${link}`)).status).toBe(200);
  });

  it('may load nothing from other hosts and runs no scripts', async () => {
    const reply = await fetch(`${server.url}/docs`);
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", "style-src 'self'"]));
    expect(policy).not.toMatch(/script-src|unsafe|\*|https?:/);
    const page = await reply.text();
    expect(page).not.toMatch(/ style="| on[a-z]+="|<script|javascript:/);
  });
});
