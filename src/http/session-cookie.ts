/** The cookie of a session of the console, and which requests it counts for (decisions.md#sessions). */
import type { Express, Request, Response } from 'express';

import { KeyedHash } from '../platform/hashes.js';
import { headerOf, mediaTypeOf } from './request.js';
import { isUpgrade } from './server/connections.js';

const MAX_AGE_SECONDS = 7 * 24 * 60 * 60;

/** True if the browser speaks TLS with the server or a trusted proxy. Some proxies report wss for WebSockets. */
const isSecure = ({ protocol }: Request): boolean => /^(https|wss)$/i.test(protocol);

const INSTALLATION = 'installation';

/** Browsers send a cookie to all ports of a host, so its name tells the installations there apart. */
export const nameSessionCookie = (app: Express, tokenSecret: string): Express =>
  app.set(INSTALLATION, new KeyedHash(tokenSecret, 'name of the session cookie').keyId.slice(0, 8));

/** Browsers accept the prefix `__Host-` only over TLS, for this host alone. */
const nameFor = (request: Request): string =>
  `${isSecure(request) ? '__Host-' : ''}session-${String(request.app.get(INSTALLATION))}`;

/**
 * Compares with the host that the client or a trusted proxy names. Over http, the proxy may speak TLS with the browser.
 */
export function isOwnOrigin(origin: string, request: Request): boolean {
  const schemes = isSecure(request) ? ['https'] : ['https', 'http'];
  return (
    schemes
      // A request of HTTP/1.0 may have no Host.
      .map((scheme) => `${scheme}://${(request.host as string | undefined) ?? ''}`)
      .some((url) => URL.canParse(url) && new URL(url).origin === origin)
  );
}

/**
 * Whether a page of this server sent the request, in a way that pages of others cannot: as JSON, as an upload with
 * the header of GraphQL clients, as a WebSocket, an event stream or a link to an export. Browsers send Sec-Fetch-Site
 * over TLS and to their own machine, and Origin with each POST and WebSocket.
 */
export function isFromOwnPage(request: Request): boolean {
  const origin = headerOf(request, 'origin');
  const site = headerOf(request, 'sec-fetch-site');
  if (origin !== undefined && !isOwnOrigin(origin, request)) return false;
  if (isUpgrade(request)) return origin !== undefined;
  if (isExport(request)) return site === undefined ? hasOwnReferer(request) : site === 'same-origin';
  return (site === undefined ? origin !== undefined : site === 'same-origin') && hasGuardedForm(request);
}

/** An export changes nothing, and no other site can read it. */
const isExport = (request: Request): boolean =>
  request.method === 'GET' && pathOf(request).startsWith('/export/v1/');

/** Browsers send no Sec-Fetch-Site over plain http to other machines; links of the console send their page. */
function hasOwnReferer(request: Request): boolean {
  const page = headerOf(request, 'referer') ?? '';
  return URL.canParse(page) && isOwnOrigin(new URL(page).origin, request);
}

function hasGuardedForm(request: Request): boolean {
  if (request.method === 'GET') return pathOf(request) === '/graphql/stream';
  const type = mediaTypeOf(request);
  const isUpload =
    type === 'multipart/form-data' && headerOf(request, 'apollo-require-preflight') !== undefined;
  return request.method === 'POST' && (type === 'application/json' || isUpload);
}

const pathOf = ({ originalUrl }: Request): string => originalUrl.split('?', 1)[0] ?? '';

/** Text of the session's cookie; undefined if there is none, or it does not count for the request. */
export function sessionCookieOf(request: Request): string | undefined {
  const cookies = headerOf(request, 'cookie');
  if (cookies === undefined || headerOf(request, 'authorization') !== undefined) return undefined;
  const isKnown = isExport(request) || /^\/graphql(\/stream|\/)?$/.test(pathOf(request));
  if (!isKnown || !isFromOwnPage(request)) return undefined;
  const start = `${nameFor(request)}=`;
  const found = cookies.split(';').find((cookie) => cookie.trim().startsWith(start));
  return found?.trim().slice(start.length);
}

/** Sets the cookie to a text; null removes it. */
export function setSessionCookie(request: Request, response: Response, text: string | null): void {
  const age = text === null ? 0 : MAX_AGE_SECONDS;
  const rules = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure(request) ? '; Secure' : ''}`;
  response.setHeader('Set-Cookie', `${nameFor(request)}=${text ?? ''}; ${rules}`);
}
