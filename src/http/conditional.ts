import type { Request } from 'express';

import { headerOf } from './headers.js';

/** Whether a GET or HEAD has the ETag of the response, or `*`, in If-None-Match. */
export function isUnchanged(request: Request, etag: string | undefined): boolean {
  const given = headerOf(request, 'if-none-match');
  if (etag === undefined || given === undefined || !['GET', 'HEAD'].includes(request.method)) return false;
  return given.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
