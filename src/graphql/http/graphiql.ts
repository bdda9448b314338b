import { Router, type RequestHandler } from 'express';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { assetHandler } from '../../http/asset.js';
import { requestContextOf } from '../../http/request.js';
import { sendText } from '../../http/send.js';
import { isLoopbackRequest } from '../../http/server/http-app.js';

/** Files that the build copies to `dist/`, from where both `src/` and `dist/` read them. */
const FOLDER = new URL('../../../dist/graphiql-page/', import.meta.url);
const textOf = async (name: string): Promise<string> =>
  (await promisify(gunzip)(await readFile(new URL(`${name}.gz`, FOLDER)))).toString();
const BUILT = ['graphiql.js', 'editor.worker.js', 'json.worker.js', 'graphql.worker.js', 'graphiql.css'];

/** The editor adds inline styles and has its fonts and icons in the style sheet. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self'; connect-src 'self'; " +
  "font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FOREVER = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/** GraphiQL in browsers, for development: it takes 9 MB. Only a browser on this machine gets the token of `tokenOf`. */
export async function createGraphiql(tokenOf: () => string | null): Promise<RequestHandler> {
  const built = await Promise.all(BUILT.map(async (name) => [name, await textOf(name)] as const));
  const assets = [...built, ['start.js', SCRIPT], ['page.css', STYLE]] as const;
  const version = createHash('sha256').update(assets.flat().join('\0')).digest('hex').slice(0, 16);
  const router = Router({ caseSensitive: true });
  for (const [name, text] of assets) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    const send = assetHandler(() => ({ type, text }), FOREVER);
    router.get(`/graphiql/${version}/${name}`, (request, response, next) => {
      requestContextOf(response).template = '/graphql/graphiql';
      return send(request, response, next);
    });
  }
  const linkTo = (name: string): string => `/graphql/graphiql/${version}/${name}`;
  router.get('/', async (request, response, next) => {
    if (request.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    response.type('html').setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    const token = isLoopbackRequest(request) ? tokenOf() : null;
    requestContextOf(response).template = '/graphql';
    await sendText(response, graphiqlPage(linkTo, token));
  });
  return router;
}

/** Roles that screen readers can use: GraphiQL's tabs are list items with the role `tab` that contain buttons. */
const SCRIPT = `
const { workers, options } = JSON.parse(document.getElementById('settings').textContent);
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
const root = document.getElementById('root');
const corrected = [
  ['.graphiql-tabs, .graphiql-tab', 'role', null], ['.graphiql-tab', 'aria-selected', null],
  ['#graphiql-session', 'role', 'region'], ['#graphiql-session', 'aria-labelledby', null],
  ['#graphiql-session', 'aria-label', 'Operation and result'],
  ['.graphiql-tab-active .graphiql-tab-button', 'aria-current', 'true'],
  ['.graphiql-tab:not(.graphiql-tab-active) .graphiql-tab-button', 'aria-current', null],
];
new MutationObserver(() => {
  for (const [selector, name, value] of corrected) for (const element of root.querySelectorAll(selector)) {
    if (element.getAttribute(name) === value) continue;
    if (value === null) element.removeAttribute(name); else element.setAttribute(name, value);
  }
}).observe(root, { childList: true, subtree: true, attributeFilter: ['role', 'aria-selected', 'class'] });
// GraphiQL keeps the edited query in the address. Without a query it would open an empty tab at each reload.
const initialQuery = new URLSearchParams(location.search).get('query') ?? options.defaultQuery;
YogaGraphiQL.renderYogaGraphiQL(root, { ...options, initialQuery });
`;

/** Colors with enough contrast, and editors one below the other in narrow windows. */
const STYLE = `
body { display: flex; flex-direction: column; height: 100dvh; color-scheme: light dark;
  font: 15px/1.4 system-ui, sans-serif; background: light-dark(#fff, #212a3b); color: light-dark(#3b4b68, #b7c2d7); }
body.graphiql-light { color-scheme: light; } body.graphiql-dark { color-scheme: dark; }
header { padding: .6rem 1rem 0; } h1 { margin: 0; font-size: 1.1rem; } header a { color: inherit; }
main { flex: 1; min-height: 0; } main .graphiql-container { width: 100%; height: 100%; }
.graphiql-container .graphiql-logo { display: none; }
.graphiql-container, .graphiql-dialog { --alpha-secondary: .9 !important; }
.graphiql-container a[href="#"] { text-decoration: underline; }
@media not (prefers-color-scheme: dark) { body:not(.graphiql-dark) :is(.graphiql-container, .graphiql-dialog) {
  --color-info: 208, 100%, 34%; --color-warning: 36, 100%, 26%; --color-success: 158, 60%, 28%;
  --color-secondary: 242, 51%, 45%; } }
.monaco-editor .line-numbers { color: light-dark(#2b6f86, #aab4c4) !important; }
@media (max-width: 50rem) { body { height: 80rem; }
  .graphiql-container .graphiql-main, .graphiql-container #graphiql-session { flex-direction: column; } }
`;

const EXAMPLE = `{
  groups(first: 10) {
    totalCount
    nodes {
      name
      logicalNumbers(first: 5) {
        nodes {
          number
          appVersions(first: 3) { nodes { number } }
        }
      }
    }
  }
}
`;

/** HTML of the page. That of the package has inline scripts, which the content security policy forbids. */
function graphiqlPage(linkTo: (name: string) => string, token: string | null): string {
  const headers = JSON.stringify({ Authorization: `Bearer ${token ?? '...'}` }, null, 2);
  const settings = {
    workers: {
      editorWorkerService: linkTo('editor.worker.js'),
      json: linkTo('json.worker.js'),
      graphql: linkTo('graphql.worker.js'),
    },
    options: {
      // The first tab has the initial headers after a reload, new tabs have the others.
      defaultQuery: EXAMPLE,
      headers,
      initialHeaders: headers,
      shouldPersistHeaders: false,
      // The page would use a WebSocket by default, to which it does not pass the headers.
      subscriptionsProtocol: 'GRAPHQL_SSE',
      subscriptionsEndpoint: '/graphql/stream',
    },
  };
  const instructions =
    token === null
      ? 'Replace the dots under Headers by an access token. Then the round arrows load the schema.'
      : 'The token of the demo is under Headers: queries run as they are.';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>GraphQL of terminal-gateway</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${linkTo('graphiql.css')}">
<link rel="stylesheet" href="${linkTo('page.css')}">
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>
<script src="${linkTo('graphiql.js')}" defer></script><script src="${linkTo('start.js')}" defer></script></head>
<body><header><h1>GraphQL of terminal-gateway</h1>${instructions} The REST API: <a href="/docs">/docs</a></header>
<main id="root"><noscript>This page needs JavaScript.</noscript></main></body></html>
`;
}
