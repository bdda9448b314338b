import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';

import type { LiveObserver } from '../http/monitoring/operations.js';
import type { ClientLimits } from '../http/request.js';
import type { CountRequest } from '../http/server/admission.js';
import { chain } from '../http/server/http-app.js';
import type { Clock } from '../platform/clock.js';
import type { OperationList } from '../platform/config/parsing.js';
import type { Authenticator } from '../platform/requests.js';
import type { OperationServices } from './execution/context.js';
import { createExports, type SendExport } from './export/export.js';
import { createGraphiql } from './http/graphiql.js';
import { answerOperations, refuseOperation } from './http/operations.js';
import * as requests from './http/request.js';
import { Admission } from './limits/admission.js';
import { EventStreams } from './live/event-streams.js';
import { LIVE_TIMES, type LiveTimes } from './live/limits.js';
import { Sockets } from './live/sockets.js';
import type { QueryReading } from './plan/plan.js';

export interface GraphqlOptions extends Omit<OperationServices, 'feeds'>, requests.BodyOptions {
  readonly schema: GraphQLSchema;
  readonly authenticator: Authenticator;
  /** Mutations of which a document may contain one in total, see `checkStructure`. */
  readonly sensitiveMutations: readonly string[];
  readonly development: boolean;
  readonly usesPlans: boolean;
  readonly countQuery: (reading: QueryReading) => void;
  /** Token that GraphiQL shows to browsers on this machine; null if there is none. */
  readonly graphiqlToken: () => string | null;
  readonly allowList: OperationList | null;
  readonly onError: (error: unknown, requestId: string | null) => void;
  readonly limits: ClientLimits;
  /** Counts operations over sockets in the client's request budget. */
  readonly count: CountRequest;
  readonly observer: LiveObserver;
  readonly clock: Clock;
  readonly liveTimes: Partial<LiveTimes>;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export interface Graphql {
  readonly handler: RequestHandler;
  /** Handler for POST requests to the path /graphql itself. */
  readonly post: RequestHandler;
  readonly refuse: ErrorRequestHandler;
  readonly sendExport: SendExport;
  /** Ends sockets and streams. Their queries and mutations have `graceMs` to finish. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export async function createGraphql(options: GraphqlOptions): Promise<Graphql> {
  const authenticate = requests.createAuthenticate(options.authenticator, options);
  const parts = { ...options, admission: new Admission(options), authenticate };
  const times = { ...LIVE_TIMES, ...options.liveTimes };
  const sockets = new Sockets(parts, times);
  const streams = new EventStreams(parts, times);
  const router = Router({ caseSensitive: true });
  router.options('/', requests.listMethods('/graphql'));
  router.options('/stream', requests.listMethods('/graphql/stream'));
  router.all('/', sockets.upgrade);
  router.all(
    '/stream',
    requests.requireMethod('/graphql/stream'),
    streams.requireAcceptable,
    // An EventSource sends GET without any header of its own; a GET changes nothing.
    requests.refuseForgery('/graphql/stream', ['POST']),
    requests.authenticateRequest(authenticate),
    requests.readOperation(options),
    streams.respond,
  );
  if (options.development) router.use(await createGraphiql(options.graphiqlToken));
  const execute = [
    requests.refuseForgery('/graphql', requests.METHODS),
    requests.authenticateRequest(authenticate, true),
    requests.requireMethod('/graphql'),
    requests.readOperation(options),
    await answerOperations(parts, options.observer.watch),
  ];
  router.all('/', requests.headAsGet, ...execute);
  return {
    handler: router,
    post: chain(execute),
    refuse: refuseOperation(options.onError),
    sendExport: createExports(parts),
    stop: async (graceMs) => {
      streams.stop();
      await sockets.stop(graceMs);
    },
  };
}
