import { Router } from 'express';

import type { CountRequest } from '../../http/server/rate-limit.js';
import type { Authenticate } from '../http/authentication.js';
import { readOperation, type BodyOptions } from '../http/body.js';
import { authenticateRequest } from '../http/http-context.js';
import { LIVE_TIMES, type LiveTimes } from './limits.js';
import type { OperationParts } from './operation.js';
import type { InFlightResponses } from '../limits/in-flight.js';
import { ConnectionSlots } from './connection-slots.js';
import { Sockets } from './sockets.js';
import { EventStreams } from './event-streams.js';

export interface LiveOptions extends BodyOptions {
  readonly operations: OperationParts;
  readonly authenticate: Authenticate;
  readonly count: CountRequest;
  readonly underWay: InFlightResponses;
  readonly times?: Partial<LiveTimes>;
}

/** GraphQL over connections that stay open. */
export interface Live {
  /** Below /graphql. */
  readonly router: Router;
  /** Ends every socket and stream; queries and mutations may take `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export function createLive(options: LiveOptions): Live {
  const { authenticate } = options;
  const parts = { ...options, seats: new ConnectionSlots() };
  const times = { ...LIVE_TIMES, ...options.times };
  const sockets = new Sockets(parts, times);
  const streams = new EventStreams(parts, times);
  const router = Router({ caseSensitive: true });
  router.all('/', sockets.upgrade);
  router.all(
    '/stream',
    streams.demandShape,
    authenticateRequest(authenticate, '/graphql/stream'),
    readOperation(options),
    streams.answer,
  );
  return {
    router,
    stop: async (graceMs) => {
      streams.stop();
      await sockets.stop(graceMs);
    },
  };
}
