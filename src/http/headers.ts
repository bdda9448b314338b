import type { Request } from 'express';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * The value of a request's header; `name` in lower case. Each order in which clients send their headers gives `headers` another
 * hidden class. V8 compiles code that names a property for the classes seen so far, and again at the next one; with
 * the name as a parameter it looks the property up, whatever the class.
 */
export function headerOf<Name extends Lowercase<string>>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: Name,
): IncomingHttpHeaders[Name] {
  return headers[name];
}

/** Whether a GET or HEAD has the ETag of the response, or `*`, in If-None-Match. */
export function isUnchanged(request: Request, etag: string | undefined): boolean {
  const given = headerOf(request, 'if-none-match');
  if (etag === undefined || given === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  return given.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
