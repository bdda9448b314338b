import { Router, type RequestHandler } from 'express';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import { assetHandler } from '../../http/asset.js';
import { isLoopbackRequest } from '../../http/loopback.js';
import { sendText } from '../../http/pieces.js';
import { requestContextOf } from '../../http/request-context.js';
import { graphiqlPage, SCRIPT, STYLE } from './graphiql-page.js';

/** Files that the build copies to `dist/`, from where both `src/` and `dist/` read them. */
const FOLDER = new URL('../../../dist/graphiql-page/', import.meta.url);
const textOf = async (name: string): Promise<string> =>
  (await promisify(gunzip)(await readFile(new URL(`${name}.gz`, FOLDER)))).toString();
const BUILT = ['graphiql.js', 'editor.worker.js', 'json.worker.js', 'graphql.worker.js', 'graphiql.css'];

/** The editor adds inline styles and has its fonts and icons in the style sheet. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src 'self'; connect-src 'self'; " +
  "font-src data:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Assets have a path of their own in each version. */
const FOREVER = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cache-Control': 'public, max-age=31536000, immutable',
};

/**
 * GraphiQL, for browsers that open /graphql; for development only, since it takes nine megabytes. Needs no access token.
 * `tokenOf` is the token that the page starts with; only a browser on this machine gets it.
 */
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
