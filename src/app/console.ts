import type { RequestHandler } from 'express';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { assetHandler, type Asset } from '../http/asset.js';
import { HttpProblem } from '../http/problem.js';
import { sendRedirect } from '../http/send.js';
import type { Config } from '../platform/config/config.js';
import { parseAllowList, type OperationList } from '../platform/config/parsing.js';

/** Files that the build makes of src/console, from where both `src/` and `dist/` read them. */
const FOLDER = new URL('../../dist/console/', import.meta.url);
const DOCUMENTS = new URL('../../dist/console-documents.json', import.meta.url);

/** Hashes of the two constant styles that React Aria adds to the page, for touch and for dialogs on iPhones. */
const INLINE_STYLES =
  "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o=' 'sha256-gYiS/BvZvRcK27JIXTuwhZ3hs2+VJ1X+2gUlE+farlg='";
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${INLINE_STYLES}`,
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const HEADERS = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' };
/** For files whose names have a hash of their content. */
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
const HASHED = 'assets/';
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/**
 * `/console/` and all paths below: files of the build, and for other paths, which the browser routes, the page. Its
 * root element has the attribute `data-graphiql` if GraphiQL is at /graphql, and `data-no-mail` if no e-mail is sent.
 */
export function consoleHandlers({
  graphqlDevelopment,
  mail,
}: Pick<Config, 'graphqlDevelopment' | 'mail'>): Readonly<Record<string, RequestHandler>> {
  let loaded: ReadonlyMap<string, RequestHandler> | undefined;
  const settings = `${graphqlDevelopment ? ' data-graphiql' : ''}${mail === null ? ' data-no-mail' : ''}`;
  const serve: RequestHandler = async (request, response, next) => {
    loaded ??= loadFiles((html) => html.replace('<html', `<html${settings}`));
    const name = request.path.slice('/console/'.length);
    const file = loaded.get(name) ?? (name.startsWith(HASHED) ? undefined : loaded.get(PAGE));
    if (file === undefined) throw new HttpProblem(404, 'not_found', missing(loaded));
    await file(request, response, next);
  };
  return {
    '/console': async (request, response, next) => {
      const [, query] = request.originalUrl.split('?', 2);
      if (request.path !== '/console') await serve(request, response, next);
      else sendRedirect(response, query === undefined ? '/console/' : `/console/?${query}`);
    },
    '/console/*path': serve,
  };
}

const missing = ({ size }: ReadonlyMap<string, RequestHandler>): string =>
  size === 0
    ? 'The console was not built: run npm run build, and start the server again.'
    : 'No such file. The console may have been updated: load the page again.';

/** Handlers by the path of the file, for example `assets/index-BcezXxoG.js`; empty if there was no build. */
function loadFiles(complete: (html: string) => string): ReadonlyMap<string, RequestHandler> {
  if (!existsSync(FOLDER)) return new Map();
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const names = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => extname(path) in TYPES);
  return new Map(
    names.map((name) => {
      const create = (): Asset => {
        const asset = read(name);
        return name === PAGE ? { type: asset.type, text: complete(asset.text) } : asset;
      };
      return [name, assetHandler(create, name.startsWith(HASHED) ? FOREVER : HEADERS)];
    }),
  );
}

function read(name: string): Asset {
  const path = new URL(name, FOLDER);
  const [br, gzip] = ['br', 'gz'].map((ending) => {
    const file = new URL(`${name}.${ending}`, FOLDER);
    return existsSync(file) ? readFileSync(file) : undefined;
  });
  return {
    type: TYPES[extname(name)] ?? 'text/plain',
    text: readFileSync(path, 'utf8'),
    compressed: { ...(br && { br }), ...(gzip && { gzip }) },
  };
}

/** The allowed documents and those of the console, which an administrator could otherwise lock out; null for any. */
export function withConsoleDocuments(allowList: OperationList | null): OperationList | null {
  if (allowList === null || !existsSync(DOCUMENTS)) return allowList;
  return new Map([...allowList, ...(parseAllowList(fileURLToPath(DOCUMENTS)) ?? [])]);
}
