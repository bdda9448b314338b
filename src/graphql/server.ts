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

import type { LiveObserver } from '../http/monitoring/operation-log.js';
import type { ClientLimits } from '../http/request-context.js';
import { chain } from '../http/server/chain.js';
import type { CountRequest } from '../http/server/rate-limit.js';
import type { Authenticator } from '../platform/caller.js';
import type { Clock } from '../platform/clock.js';
import type { OperationList } from '../platform/config/operation-list.js';
import type { OperationContext, OperationServices } from './execution/context.js';
import { maskErrors } from './execution/mask.js';
import { apolloPlugin } from './http/apollo-plugin.js';
import { createAuthenticate } from './http/authentication.js';
import { PREFLIGHT_HEADERS, readOperation, refuseForgery, type BodyOptions } from './http/body.js';
import { directQueries, type AnswerQuery } from './http/direct-queries.js';
import { createGraphiql } from './http/graphiql.js';
import { authenticateRequest, graphqlContextOf, operate, type RunOperation } from './http/http-context.js';
import { demandMethod, headAsGet, listMethods, METHODS } from './http/methods.js';
import { demandText } from './http/operation-text.js';
import { persistedQueries } from './http/persisted.js';
import { refuseOperation } from './http/problems.js';
import { createAdmission, type Admission } from './limits/admission.js';
import { LIMITS } from './limits/limits.js';
import { refuseSingleConnection } from './live/event-streams.js';
import type { LiveTimes } from './live/limits.js';
import { createLive } from './live/live.js';

export interface GraphqlOptions extends Omit<OperationServices, 'feeds'>, BodyOptions {
  readonly schema: GraphQLSchema;
  readonly authenticator: Authenticator;
  /** Mutations of which a document may contain one in total, see `checkStructure`. */
  readonly sensitiveMutations: readonly string[];
  /** Opens introspection and GraphiQL. */
  readonly development: boolean;
  /** Token that GraphiQL shows to browsers on this machine; null if there is none. */
  readonly graphiqlToken: () => string | null;
  readonly allowList: OperationList | null;
  readonly onError: (error: unknown, requestId: string | null) => void;
  readonly limits: ClientLimits;
  readonly live: {
    /** Counts operations over sockets in the client's request budget. */
    readonly count: CountRequest;
    readonly observer: LiveObserver;
    readonly clock: Clock;
    readonly times?: Partial<LiveTimes>;
  };
}

/** GraphQL over HTTP, WebSockets and server-sent events. */
export interface Graphql {
  readonly handler: RequestHandler;
  /** Handler for POST requests to the path /graphql itself. */
  readonly post: RequestHandler;
  readonly refuse: ErrorRequestHandler;
  /** Ends sockets and streams. Their queries and mutations have `graceMs` to finish. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export async function createGraphql(options: GraphqlOptions): Promise<Graphql> {
  const { schema, development, onError, authenticator } = options;
  const admission = createAdmission(options);
  const authenticate = createAuthenticate(authenticator, options);
  const server = await startApollo(options, admission);
  const { clock, observer, ...more } = options.live;
  const operations = { schema, admission, development, clock, observer, onError };
  const live = createLive({ ...options, ...more, operations, authenticate });
  const router = Router({ caseSensitive: true });
  router.options('/', listMethods('/graphql'));
  router.use(live.router);
  if (development) router.use(await createGraphiql(options.graphiqlToken));
  const execute = [
    refuseForgery('/graphql', METHODS),
    authenticateRequest(authenticate),
    demandMethod('/graphql'),
    readOperation(options),
    demandText,
    operate(answer(directQueries({ schema, admission, development, onError }), server), observer.watch),
  ];
  router.all('/', headAsGet, ...execute);
  const post = chain([refuseSingleConnection, ...execute]);
  return { handler: router, post, refuse: refuseOperation(onError), stop: live.stop };
}

function answer(direct: AnswerQuery, server: ApolloServer<OperationContext>): RunOperation {
  const apollo = expressMiddleware(server, { context: ({ res }) => Promise.resolve(graphqlContextOf(res)) });
  return async (request, response, next, send) => {
    if (await direct(request, response, send)) return;
    const sendText = response.send.bind(response);
    response.send = (text: string) => {
      // Restores `response.send`, since `send` calls it too.
      response.send = sendText;
      send(text);
      return response;
    };
    await apollo(request, response, next);
  };
}

/** Sets every option that Apollo would otherwise derive from NODE_ENV. */
async function startApollo(
  { schema, development, allowList, onError }: GraphqlOptions,
  admission: Admission,
): Promise<ApolloServer<OperationContext>> {
  const { plugin, documents, stringify } = apolloPlugin({ admission, development, onError });
  const warn = (message: unknown): void => onError(new Error(String(message)), null);
  const nothing = (): void => undefined;
  const server = new ApolloServer<OperationContext>({
    schema,
    nodeEnv: 'production',
    introspection: development,
    csrfPrevention: { requestHeaders: ['authorization', ...PREFLIGHT_HEADERS] },
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
    stringifyResult: stringify,
    formatError: (formatted, error) =>
      maskErrors({ development, onError: nothing }, null, [error])[0] ?? formatted,
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
