import { Router, type Request, type RequestHandler } from 'express';
import { createHash } from 'node:crypto';

import { assetHandler } from '../../http/asset.js';
import { isLoopbackRequest } from '../../http/loopback.js';
import { sendText } from '../../http/pieces.js';
import { requestContextOf } from '../../http/request-context.js';
import { loadAssets } from './assets.js';
import { graphiqlPage, type Links } from './page.js';

/** The editor adds inline styles and has its fonts and icons in the style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
  "connect-src 'self'",
  'font-src data:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Assets have a path of their own in each version. */
const FOREVER = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/**
 * GraphiQL, for browsers that open /graphql; for development only. Needs no token and loads nothing from
 * other sites. `tokenOf` is the token that the page starts with; only a browser on this machine gets it.
 */
export async function createGraphiql(tokenOf: () => string | null): Promise<RequestHandler> {
  const assets = await loadAssets();
  const texts = Object.values(assets).map(({ text }) => text);
  const version = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 16);
  const pathOf = (name: string): string => `/graphiql/${version}/${name}`;
  const router = Router({ caseSensitive: true });
  for (const [name, asset] of Object.entries(assets)) {
    router.get(
      pathOf(name),
      named('/graphql/graphiql'),
      assetHandler(() => asset, FOREVER),
    );
  }
  const links: Links = (name) => `/graphql${pathOf(name)}`;
  router.get('/', async (request, response, next) => {
    if (!wantsPage(request)) {
      next();
      return;
    }
    requestContextOf(response).template = '/graphql';
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    const token = isLoopbackRequest(request) ? tokenOf() : null;
    await sendText(response.type('html'), graphiqlPage(links, token));
  });
  return router;
}

function wantsPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

function named(template: string): RequestHandler {
  return (_request, response, next) => {
    requestContextOf(response).template = template;
    next();
  };
}
