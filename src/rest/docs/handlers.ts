import type { RequestHandler } from 'express';

import type { OpenApiDocument } from '../openapi/openapi.js';
import { SCRIPT, STYLE } from './assets.js';
import { entryPage } from './entry.js';
import { docsPage, SCRIPT_PATH, STYLE_PATH } from './page.js';

/** Loads scripts and styles from this server only and submits no forms. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/`, `/openapi.json`, `/docs` and the assets of the page; generated at the first request and then kept. */
export function docsHandlers(
  createDocument: () => OpenApiDocument,
): Readonly<Record<string, RequestHandler>> {
  let cached: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (cached ??= createDocument());
  return {
    '/': entryPage,
    '/openapi.json': textHandler('application/json', () => JSON.stringify(document())),
    '/docs': textHandler('text/html', () => docsPage(document())),
    [STYLE_PATH]: textHandler('text/css', () => STYLE),
    [SCRIPT_PATH]: textHandler('text/javascript', () => SCRIPT),
  };
}

function textHandler(type: string, createText: () => string): RequestHandler {
  let bytes: Buffer | undefined;
  return (_request, response) => {
    bytes ??= Buffer.from(createText());
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  };
}
