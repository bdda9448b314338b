import type { RequestHandler } from 'express';

import { assetHandler } from '../http/asset.js';
import { sendRedirect, sendShared } from '../http/send.js';
import type { OpenApiDocument, OpenApiOperation } from './openapi/openapi.js';
import { resolve, sampleOf, type Schema, type Schemas } from './openapi/schema.js';

/** The page runs no scripts and submits no forms. Browsers keep a copy and ask each time whether it changed. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-cache',
};

/** Entry points listed at `/`. Paths, because the server does not know its public address. */
const LINKS = { docs: '/docs', openapi: '/openapi.json', graphql: '/graphql', healthz: '/healthz' };
const LINKS_TEXT = JSON.stringify({ name: 'terminal-gateway', ...LINKS });

/** `/` (a browser is led to the console), `/openapi.json`, `/docs` and its style; generated at the first request and then kept. */
export function docsHandlers(
  createDocument: () => OpenApiDocument,
): Readonly<Record<string, RequestHandler>> {
  let cached: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (cached ??= createDocument());
  const handler = (type: string, text: () => string): RequestHandler =>
    assetHandler(() => ({ type, text: text() }), HEADERS);
  return {
    '/': async (request, response) => {
      response.vary('Accept');
      if (request.accepts(['json', 'html']) === 'html') sendRedirect(response, '/console/');
      else await sendShared(response.type('json'), Buffer.from(LINKS_TEXT));
    },
    '/openapi.json': handler('application/json', () => JSON.stringify(document())),
    '/docs': handler('text/html', () => docsPage(document())),
    '/docs/style.css': handler('text/css', () => STYLE),
  };
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5dae1, #39424f); }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; font: 15px/1.5 system-ui, sans-serif; }
nav { columns: 18rem; } td p { margin: 0; } section { padding: 1rem 0; border-top: 1px solid var(--line); }
code, pre { font-family: ui-monospace, monospace; } body { overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; white-space: pre-wrap; border: 1px solid var(--line); }
td:first-child { min-width: 9rem; } td { min-width: 4rem; padding: 0 .6rem .3rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
@media (max-width: 40rem) { tr, td { display: block; } td:not(:last-child) { padding-bottom: 0; border: none; } td:first-child { font-weight: 600; } }
`;

type Operation = OpenApiOperation & { readonly method: string; readonly path: string };

/** Reference of all operations as one page. Runs no scripts; decisions.md says why no package draws it. */
function docsPage({ paths, info, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, each]) => ({ ...each, path, method: name.toUpperCase() })),
  );
  const token = String(sampleOf({ type: 'string' }, {}, 'api_token'));
  const links = operations.map(
    (each) => `<li>${each.method} <a href="#${each.operationId}">${escape(each.summary)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${info.title}</title>
<link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>${info.title} ${info.version}</h1>
<p>For programs: <a href="/openapi.json">openapi.json</a></p>
${prose(info.description)}
<p>The examples can be pasted into a shell that has these variables: the address of the server, your API token and, for
calls of terminals, the token of a device.</p>
<pre>BASE_URL=http://127.0.0.1:4000
TOKEN=${token}
DEVICE_TOKEN=${token}</pre>
<nav aria-label="Operations"><ul>${links.join('')}</ul></nav>
${operations.map((each) => sectionOf(each, components)).join('')}</main></body></html>
`;
}

function sectionOf(operation: Operation, { schemas, responses }: OpenApiDocument['components']): string {
  const { method, path, operationId, summary, description, parameters, requestBody } = operation;
  const [{ schema: body } = { schema: {} }] = Object.values(requestBody?.content ?? {});
  const answers = Object.entries(operation.responses).map(([status, answer]) => ({
    ...('$ref' in answer ? responses[answer.$ref.split('/').at(-1) ?? ''] : answer),
    status,
  }));
  const success = answers.find(({ status }) => status.startsWith('2'));
  const [type = '', { schema = {} } = {}] = Object.entries(success?.content ?? {})[0] ?? [];
  const sample = sampleOf(schema, schemas);
  return `<section id="${operationId}">
<h2>${method} <code>${path}</code> <a href="#${operationId}">${escape(summary)}</a></h2>
${prose(description)}
<table>${parameters.map((each) => row(each.name, each.in, each.schema, each.description)).join('')}${rows(body, schemas, 'body')}</table>
<pre class="command">${escape(commandOf(operation))}</pre>
${success?.status ?? ''} ${type}
<pre>${escape(typeof sample === 'string' ? sample : JSON.stringify(sample, null, 2))}</pre>
<details><summary>Fields and errors</summary><table>${rows(schema.anyOf?.[0] ?? schema, schemas, '')}</table>
${answers.map((each) => prose(`${each.status}: ${each.description ?? ''}`)).join('')}</details></section>
`;
}

/** Parameters and fields: their names, where they are with their types, and their meaning. */
function row(name: string, place: string, { type, anyOf, ...schema }: Schema, meaning = ''): string {
  const types = schema.enum ?? [type ?? anyOf?.map((each) => each.type ?? 'object') ?? 'any'].flat();
  return `<tr><td><code>${name}</code><td>${place} ${types.join(' or ')}<td>${prose(meaning)}`;
}

/** Rows of an object's fields, with those of nested objects as `card.brand`. */
function rows(schema: Schema, schemas: Schemas, place: string, prefix = ''): string {
  const { properties = {}, required = [] } = resolve(resolve(schema, schemas).items ?? schema, schemas);
  const each = Object.entries(properties).map(([name, reference]) => {
    const field = resolve(reference, schemas);
    const where = place === 'body' && required.includes(name) ? 'required body' : place;
    const nested = rows(field.anyOf?.[0] ?? field, schemas, place, `${prefix}${name}.`);
    return row(prefix + name, where, field, field.description) + nested;
  });
  return each.join('');
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** HTML of paragraphs with `code` and **strong** words. */
const prose = (text: string): string =>
  escape(`\n\n${text}`)
    .replaceAll('\n\n', '<p>')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');

/** A shell command for the example. A page could not send each of them: no GET of a browser has a body. */
function commandOf({ method, path, parameters, requestBody, security, responses }: Operation): string {
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const [type = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isUpload = type === 'multipart/form-data';
  const example = JSON.stringify(content?.example ?? {}).replaceAll("'", `'\\''`);
  const parts = [
    `${isUpload ? `printf '%s' 'Hello' | ` : ''}curl -X ${method} "$BASE_URL${filled}${security ? '' : '?access_token=$TOKEN'}"`,
    JSON.stringify(security ?? '').includes('device_token') && '-H "Authorization: Bearer $DEVICE_TOKEN"',
    JSON.stringify(responses[200] ?? '').includes('text/event-stream') && '-N',
    isUpload && "-F 'asset=@-;filename=hello.txt' -F 'description=A greeting'",
    type !== '' && !isUpload && `-H 'Content-Type: ${type}' -d '${example}'`,
  ];
  return parts.filter((part) => part !== false).join(' \\\n  ');
}
