import { Router } from 'express';

import { readOperation, refuseForgery, type BodyOptions } from '../http/body.js';
import { authenticateRequest } from '../http/http-context.js';
import { demandMethod, listMethods } from '../http/methods.js';
import { EventStreams, refuseSingleConnection } from './event-streams.js';
import { LIVE_TIMES, type LiveTimes } from './limits.js';
import type { LiveParts } from './parts.js';
import { Sockets } from './sockets.js';

export interface LiveOptions extends BodyOptions, LiveParts {
  readonly times?: Partial<LiveTimes>;
}

/** GraphQL over WebSockets and server-sent events. */
export interface Live {
  /** Mounted at /graphql. */
  readonly router: Router;
  /** Ends every socket and stream; queries and mutations may take `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export function createLive(options: LiveOptions): Live {
  const { authenticate } = options;
  const times = { ...LIVE_TIMES, ...options.times };
  const sockets = new Sockets(options, times);
  const streams = new EventStreams(options, times);
  const router = Router({ caseSensitive: true });
  router.options('/stream', listMethods('/graphql/stream'));
  router.all(['/', '/stream'], refuseSingleConnection);
  router.all('/', sockets.upgrade);
  router.all(
    '/stream',
    demandMethod('/graphql/stream'),
    streams.demandAcceptable,
    // An EventSource sends GET without any header of its own; a GET changes nothing.
    refuseForgery('/graphql/stream', ['POST']),
    authenticateRequest(authenticate, '/graphql/stream'),
    readOperation(options),
    streams.respond,
  );
  return {
    router,
    stop: async (graceMs) => {
      streams.stop();
      await sockets.stop(graceMs);
    },
  };
}
