import type { RequestHandler } from 'express';

import { headerOf } from '../../http/headers.js';
import { readQuery } from '../../http/query.js';
import { methodNotAllowedAt } from '../http/methods.js';
import { operationRefused } from '../limits/limits.js';

const ADVICE =
  'The single connection mode of graphql-sse is not supported. Use its distinct connections mode (singleConnection: false): one request to /graphql/stream per operation, with Accept: text/event-stream.';

/** The header of a client that has reserved a connection. */
const RESERVATION = 'x-graphql-event-stream-token';

/** Refuses graphql-sse's single connection mode: PUT reserves a connection, other requests name it. */
export const refuseSingleConnection: RequestHandler = (request, _response, next) => {
  const { method, originalUrl, path } = request;
  if (method === 'PUT') throw methodNotAllowedAt(path, ADVICE);
  const isReserved = path.startsWith('/stream') && readQuery(originalUrl).has('token');
  if (isReserved || headerOf(request, RESERVATION) !== undefined)
    throw operationRefused('BAD_REQUEST', ADVICE);
  next();
};
