import type { RequestHandler } from 'express';

import { assetHandler } from '../http/asset.js';
import { sendShared } from '../http/pieces.js';
import { docsPage, STYLE } from './docs-page.js';
import type { OpenApiDocument } from './openapi/openapi.js';

/** The page runs no scripts and submits no forms. Browsers keep a copy and ask each time whether it changed. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-cache',
};

/** Entry points listed at `/`. Paths, because the server does not know its public address. */
const LINKS = { docs: '/docs', openapi: '/openapi.json', graphql: '/graphql', healthz: '/healthz' };
const LINKS_TEXT = JSON.stringify({ name: 'terminal-gateway', ...LINKS });
const LINKS_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>terminal-gateway</title>
<main><h1>terminal-gateway</h1><ul>
${Object.values(LINKS)
  .map((path) => `<li><a href="${path}">${path}</a></li>`)
  .join('\n')}
</ul></main></html>
`;

/** `/`, `/openapi.json`, `/docs` and its style; generated at the first request and then kept. */
export function docsHandlers(
  createDocument: () => OpenApiDocument,
): Readonly<Record<string, RequestHandler>> {
  let cached: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (cached ??= createDocument());
  const handler = (type: string, text: () => string): RequestHandler =>
    assetHandler(() => ({ type, text: text() }), HEADERS);
  return {
    '/': async (request, response) => {
      const isPage = request.accepts(['json', 'html']) === 'html';
      response.vary('Accept').type(isPage ? 'html' : 'json');
      await sendShared(response, Buffer.from(isPage ? LINKS_PAGE : LINKS_TEXT));
    },
    '/openapi.json': handler('application/json', () => JSON.stringify(document())),
    '/docs': handler('text/html', () => docsPage(document())),
    '/docs/style.css': handler('text/css', () => STYLE),
  };
}
