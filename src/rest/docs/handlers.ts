import type { RequestHandler } from 'express';

import { assetHandler } from '../../http/asset.js';
import type { OpenApiDocument } from '../openapi/openapi.js';
import { entryPage } from './entry.js';
import { docsPage, SCRIPT_PATH, STYLE_PATH } from './page.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

/** Loads scripts and styles from this server only and submits no forms. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Browsers keep a copy and ask each time whether it changed. */
const HEADERS = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' };

/** `/`, `/openapi.json`, `/docs` and the assets of the page; generated at the first request and then kept. */
export function docsHandlers(
  createDocument: () => OpenApiDocument,
): Readonly<Record<string, RequestHandler>> {
  let cached: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (cached ??= createDocument());
  return {
    '/': entryPage,
    '/openapi.json': assetHandler(
      () => ({ type: 'application/json', text: JSON.stringify(document()) }),
      HEADERS,
    ),
    '/docs': assetHandler(() => ({ type: 'text/html', text: docsPage(document()) }), HEADERS),
    [STYLE_PATH]: assetHandler(() => ({ type: 'text/css', text: STYLE }), HEADERS),
    [SCRIPT_PATH]: assetHandler(() => ({ type: 'text/javascript', text: SCRIPT }), HEADERS),
  };
}
