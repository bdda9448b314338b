import type { RequestHandler } from 'express';

import { sendShared } from '../../http/pieces.js';
import { html, type Markup } from './markup.js';

const NAME = 'terminal-gateway';

/** Entry points listed at `/`. Paths, because the server does not know its public address. */
const LINKS = [
  { name: 'docs', path: '/docs', meaning: 'Reference of the REST API /v1' },
  { name: 'openapi', path: '/openapi.json', meaning: 'The same as an OpenAPI document' },
  { name: 'graphql', path: '/graphql', meaning: 'GraphQL API' },
  { name: 'healthz', path: '/healthz', meaning: 'Whether the server runs' },
] as const;

const JSON_TEXT = JSON.stringify({
  name: NAME,
  ...Object.fromEntries(LINKS.map(({ name, path }) => [name, path])),
});

/** `/`: links as JSON, or as a page for browsers, whose `Accept` prefers HTML. */
export const entryPage: RequestHandler = async (request, response) => {
  const isPage = request.accepts(['json', 'html']) === 'html';
  const bytes = Buffer.from(isPage ? page().text : JSON_TEXT);
  response.setHeader('Content-Type', `${isPage ? 'text/html' : 'application/json'}; charset=utf-8`);
  response.setHeader('Vary', 'Accept');
  await sendShared(response, bytes);
};

function page(): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${NAME}</title>
      </head>
      <body>
        <main>
          <h1>${NAME}</h1>
          <ul>
            ${LINKS.map(({ path, meaning }) => html`<li><a href="${path}">${path}</a>: ${meaning}</li>`)}
          </ul>
        </main>
      </body>
    </html> `;
}
