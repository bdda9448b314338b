import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';

import type { Units } from '../database/work.js';
import type { LiveObserver } from '../http/monitoring/operation-log.js';
import type { CountRequest } from '../http/server/rate-limit.js';
import type { Clock } from '../platform/clock.js';
import type { OperationList } from '../platform/config/operation-list.js';
import type { Authenticator } from '../resources/access-token/authentication.service.js';
import { createAuthenticate } from './http/authentication.js';
import { demandOperation, PREFLIGHT_HEADERS, readOperation } from './http/body.js';
import { createGate, type Gate } from './limits/gate.js';
import { createGraphiql } from './http/graphiql.js';
import { authenticateRequest, graphqlContextOf, operate } from './http/http-context.js';
import { LIMITS } from './limits/limits.js';
import type { LiveTimes } from './live/limits.js';
import { createLive } from './live/live.js';
import { maskErrors } from './execution/mask.js';
import { demandText } from './http/operation-text.js';
import { operationPlugin, type OperationContext } from './execution/operation-plugin.js';
import { persistedQueries } from './http/persisted.js';
import { refuseOperation } from './http/problems.js';
import { InFlightResponses } from './limits/in-flight.js';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly units: Units;
  readonly authenticator: Authenticator;
  /** Opens introspection and the page for trying queries. */
  readonly development: boolean;
  readonly allowList: OperationList | null;
  readonly maxFileBytes: number;
  readonly bodyMs: number;
  readonly onError: (error: unknown, requestId: string | null) => void;
  readonly live: {
    /** Counts operations that come over a socket. */
    readonly count: CountRequest;
    readonly observer: LiveObserver;
    readonly clock: Clock;
    readonly times?: Partial<LiveTimes>;
  };
}

/** GraphQL put together, over requests, sockets and streams. */
export interface Graphql {
  readonly handler: RequestHandler;
  readonly refuse: ErrorRequestHandler;
  /** Ends sockets and streams; what they have under way may take `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export async function createGraphql(options: GraphqlOptions): Promise<Graphql> {
  const { schema, development, allowList, onError } = options;
  const gate = createGate({ schema, development, allowList });
  const authenticate = createAuthenticate(options.authenticator, options.units, options.maxFileBytes);
  const server = await startApollo(options, gate);
  const { clock, observer, ...more } = options.live;
  const operations = { schema, gate, development, clock, observer, onError };
  const underWay = new InFlightResponses();
  const live = createLive({ ...options, ...more, operations, authenticate, underWay });
  const router = Router({ caseSensitive: true });
  router.use(live.router);
  if (development) router.get('/', await createGraphiql());
  router.all(
    '/',
    authenticateRequest(authenticate),
    demandOperation,
    readOperation(options),
    demandText,
    operate(
      expressMiddleware(server, { context: ({ res }) => Promise.resolve(graphqlContextOf(res)) }),
      underWay,
    ),
  );
  return { handler: router, refuse: refuseOperation(onError), stop: live.stop };
}

/** Nothing depends on NODE_ENV, which Apollo would otherwise go by. */
async function startApollo(
  { schema, development, allowList, onError }: GraphqlOptions,
  gate: Gate,
): Promise<ApolloServer<OperationContext>> {
  const { plugin, documents } = operationPlugin({ gate, development, onError });
  const warn = (message: unknown): void => onError(new Error(String(message)), null);
  const nothing = (): void => undefined;
  const server = new ApolloServer<OperationContext>({
    schema,
    nodeEnv: 'production',
    introspection: development,
    csrfPrevention: { requestHeaders: [...PREFLIGHT_HEADERS] },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: !development,
    stopOnTerminationSignals: false,
    logger: { debug: nothing, info: nothing, warn, error: warn },
    parseOptions: { maxLexicalTokens: LIMITS.tokens },
    maxRecursiveSelections: LIMITS.expandedSelections,
    executionOptions: { maxCoercionErrors: LIMITS.errors - 1 },
    documentStore: documents,
    persistedQueries: { cache: persistedQueries(allowList) },
    stringifyResult: (result) => JSON.stringify(result),
    formatError: (formatted, error) => {
      const masking = { requestId: null, hideSuggestions: !development, report: nothing };
      return maskErrors([error], masking)[0] ?? formatted;
    },
    plugins: [
      plugin,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await server.start();
  return server;
}
