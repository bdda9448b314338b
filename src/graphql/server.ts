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
import type { OperationList } from '../platform/operation-list.js';
import type { Authenticator } from '../resources/access-token/authentication.service.js';
import { createAuthenticate, type Authenticate } from './authentication.js';
import { PREFLIGHT_HEADERS, readOperation } from './body.js';
import { createGate, type Gate } from './gate.js';
import { createGraphiql } from './graphiql.js';
import { authenticateRequest, contextOf } from './http-context.js';
import { LIMITS } from './limits.js';
import { maskErrors } from './mask.js';
import { operationPlugin, type OperationContext } from './operation-plugin.js';
import { persistedQueries } from './persisted.js';
import { refuseOperation } from './problems.js';

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
}

/** GraphQL put together: what HTTP serves, and the parts that other transports need for the same walls. */
export interface Graphql {
  readonly handler: RequestHandler;
  readonly refuse: ErrorRequestHandler;
  readonly schema: GraphQLSchema;
  readonly gate: Gate;
  readonly authenticate: Authenticate;
}

export async function createGraphql(options: GraphqlOptions): Promise<Graphql> {
  const { schema, development, allowList, onError } = options;
  const gate = createGate({ schema, development, allowList });
  const authenticate = createAuthenticate(options.authenticator, options.units);
  const server = await startApollo(options, gate);
  const router = Router({ caseSensitive: true });
  if (development) router.get('/', await createGraphiql());
  router.all(
    '/',
    authenticateRequest(authenticate),
    readOperation(options),
    expressMiddleware(server, { context: ({ res }) => Promise.resolve(contextOf(res)) }),
  );
  return { handler: router, refuse: refuseOperation(onError), schema, gate, authenticate };
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
