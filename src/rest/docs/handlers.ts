import type { RequestHandler } from 'express';

import type { OpenApiDocument } from '../openapi/openapi.js';
import { SCRIPT, STYLE } from './assets.js';
import { docsPage, SCRIPT_PATH, STYLE_PATH } from './page.js';

/** Nothing from elsewhere, and nothing to send anywhere. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The document for programs and the page for people, with all that the page needs; made when first asked for. */
export function docsHandlers(describe: () => OpenApiDocument): Readonly<Record<string, RequestHandler>> {
  let known: OpenApiDocument | undefined;
  const document = (): OpenApiDocument => (known ??= describe());
  return {
    '/openapi.json': sends('application/json', () => JSON.stringify(document())),
    '/docs': sends('text/html', () => docsPage(document())),
    [STYLE_PATH]: sends('text/css', () => STYLE),
    [SCRIPT_PATH]: sends('text/javascript', () => SCRIPT),
  };
}

function sends(type: string, make: () => string): RequestHandler {
  let bytes: Buffer | undefined;
  return (_request, response) => {
    bytes ??= Buffer.from(make());
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  };
}
