import { ApolloServer, HeaderMap, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import type { OperationList } from '../../platform/config/parsing.js';
import type { OperationParts } from '../operation.js';
import type { OperationText } from './operation-text.js';

export interface HttpAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** The operation of a request, as far as Apollo drives it. */
export interface HttpPipeline {
  /** Null until the operation has run or was refused. */
  readonly answer: HttpAnswer | null;
  readonly isRefused: boolean;
  /** Null if the operation is refused. */
  admit(text: OperationText): { readonly document: DocumentNode } | null;
  run(): Promise<HttpAnswer>;
  refuse(errors: readonly unknown[]): HttpAnswer;
}

export interface ApolloOptions extends OperationParts {
  /** The only documents that may run; null for any. */
  readonly allowList: OperationList | null;
}

interface ApolloContext {
  readonly http: HttpPipeline;
}

export type Apollo = ApolloServer<ApolloContext>;

/** Replaces a refused document, so that Apollo does not parse the refused text. */
const EMPTY = parse('{ __typename }');
/** Admits and runs operations for Apollo. */
const PIPELINE: ApolloServerPlugin<ApolloContext> = {
  requestDidStart: () =>
    Promise.resolve({
      didResolveSource: (context) => {
        const { source, request, contextValue } = context;
        const { variables = {}, operationName = null } = request;
        const admitted = contextValue.http.admit({ query: source, variables, operationName });
        // Apollo does not parse what has a document already.
        Object.assign(context, { document: admitted?.document ?? EMPTY });
        return Promise.resolve();
      },
      didResolveOperation: async ({ contextValue: { http } }) => {
        await http.run();
        // Apollo would store the text of a persisted query now.
        if (http.isRefused) throw new GraphQLError('The operation was refused.');
      },
      responseForOperation: () =>
        Promise.resolve({ http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: {} } }),
      didEncounterErrors: ({ errors, contextValue: { http } }) => {
        // Errors of Apollo: an unknown persisted query, for example.
        if (http.answer === null) http.refuse(errors);
        return Promise.resolve();
      },
    }),
};

export async function startApollo({ schema, allowList, onError }: ApolloOptions): Promise<Apollo> {
  const warn = (message: unknown): void => onError(new Error(String(message)), null);
  const nothing = (): void => undefined;
  const server = new ApolloServer<ApolloContext>({
    schema,
    // The pipeline validates.
    dangerouslyDisableValidation: true,
    // Apollo would derive other options from NODE_ENV.
    nodeEnv: 'production',
    stopOnTerminationSignals: false,
    logger: { debug: nothing, info: nothing, warn, error: warn },
    // With a store, Apollo prints and hashes the schema at each start, which takes longer than all else.
    documentStore: null,
    persistedQueries: { cache: persistedQueries(allowList) },
    plugins: [
      PIPELINE,
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

type Texts = Exclude<ApolloServerOptions<ApolloContext>['cache'], 'bounded' | undefined>;

const MAX_TEXTS = 500;
const MAX_CHARACTERS = 64 * 1024;

/** Cache of automatic persisted queries; with an allow list, the operations of the list only. */
function persistedQueries(allowList: OperationList | null): Texts {
  const texts = new LRUCache<string, string>({ max: MAX_TEXTS });
  return {
    get: (key) => Promise.resolve(allowList === null ? texts.get(hashIn(key)) : allowList.get(hashIn(key))),
    set: (key, text) => {
      if (allowList === null && text.length <= MAX_CHARACTERS) texts.set(hashIn(key), text);
      return Promise.resolve();
    },
    delete: () => Promise.resolve(true),
  };
}

/** The hash of a text, which Apollo's cache has behind a prefix and a colon. */
const hashIn = (key: string): string => key.slice(key.lastIndexOf(':') + 1);
