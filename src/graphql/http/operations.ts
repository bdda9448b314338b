/**
 * Operations over HTTP. Queries in the body of a POST run at once; Apollo Server serves everything else: mutations,
 * files, GET, and persisted queries. Either way the operation runs as in ../operation.ts.
 */
import { ApolloServer, HeaderMap, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError, OperationTypeNode, parse, type DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

import type { WatchOperation } from '../../http/monitoring/operations.js';
import { headerOf, requestContextOf } from '../../http/request.js';
import { holdBytes, holdChanged, sendInPieces, sendText, STREAM_BYTES } from '../../http/send.js';
import type { HeldBytes } from '../../platform/client-limits.js';
import { enterEventLoop } from '../../platform/concurrency/event-loop.js';
import type { OperationList } from '../../platform/config/parsing.js';
import { PIECE_BYTES } from '../../platform/encoding/text.js';
import { maskErrors } from '../execution/mask.js';
import type { OperationParts, OperationText } from '../operation.js';
import { HttpOperation, refusedWith, type HttpAnswer } from './http-operation.js';
import { readOperationText, sentBy, type Json } from './operation-text.js';
import { graphqlContextOf, releaseBody } from './request.js';

/** Media types of responses in Apollo's order of preference; the first one is the default. */
const TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
  'application/json; callbackSpec=1.0; charset=utf-8',
] as const;
const NOT_ACCEPTABLE =
  "An 'accept' header was provided for this request which does not accept application/json; charset=utf-8 or application/graphql-response+json; charset=utf-8";

export interface OperationsOptions extends OperationParts {
  /** The only documents that may run; null for any. */
  readonly allowList: OperationList | null;
}

/** Executes the operation of an authenticated request, which `watch` follows, and sends the response. */
export async function answerOperations(
  options: OperationsOptions,
  watch: WatchOperation,
): Promise<RequestHandler> {
  const apollo = await startApollo(options);
  return async (request, response) => {
    const sent = readRequest(request);
    const asked = (): string => JSON.stringify(sent.json);
    const type = responseType(request);
    const held = holdBytes(response, PIECE_BYTES);
    const context = graphqlContextOf(response);
    const { contents, caller } = context;
    const { waiting } = requestContextOf(response).limits;
    await enterEventLoop();
    waiting.demandRoom(caller.companyId, asked);
    contents.allowStreaming();
    let sending: Promise<void> | undefined;
    try {
      await watch(async (watched) => {
        const http = new HttpOperation(options, request, response, watched);
        const answer =
          type === undefined
            ? http.refuse(refusedWith(406, NOT_ACCEPTABLE).errors)
            : await answerBy(apollo, http, sent);
        waiting.expect(caller.companyId, asked, answer.text.length);
        response.status(answer.status).setHeader('Content-Type', type ?? TYPES[0]);
        sending = send(response, answer.text, held);
      });
    } finally {
      context.finish();
      releaseBody(request, response);
    }
    // Awaited here, where the text is out of reach: it would stay in memory beside its pieces.
    await sending;
  };
}

interface SentRequest {
  /** Body of a POST, or query string of a GET. */
  readonly json: Json;
  readonly text: OperationText;
  /** Whether it may run without Apollo, if it is a query. */
  readonly isDirect: boolean;
}

function readRequest(request: Request): SentRequest {
  const json = sentBy(request);
  const { persistedQuery } = (json.extensions ?? {}) as Json;
  const isPersisted = persistedQuery != null;
  // The text of a persisted query may be known already.
  const text = readOperationText(isPersisted ? { query: 'persisted', ...json } : json);
  return { json, text, isDirect: request.method === 'POST' && !isPersisted };
}

async function answerBy(
  apollo: ApolloServer<ApolloContext>,
  http: HttpOperation,
  { json, text, isDirect }: SentRequest,
): Promise<HttpAnswer> {
  if (isDirect && http.admit(text)?.kind !== OperationTypeNode.MUTATION) return await http.run();
  const headers = new HeaderMap([['content-type', 'application/json']]);
  const { status = 200, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: 'POST',
      headers,
      search: '',
      body: { ...json, variables: text.variables },
    },
    context: () => Promise.resolve({ http }),
  });
  return http.answer ?? { status, text: body.kind === 'complete' ? body.string : '' };
}

/** Media type of the response; undefined if the client accepts none. */
function responseType(request: Request): string | undefined {
  const accept = headerOf(request, 'accept');
  if (accept === undefined || accept === '' || accept === '*/*') return TYPES[0];
  const found = request.accepts([...TYPES]);
  return found === false ? undefined : found;
}

/** Contents in the response are read while it is sent. Errors: `busy`, instead of a response that would have to wait. */
async function send(response: Response, text: string, held: HeldBytes): Promise<void> {
  const { contents, counters } = graphqlContextOf(response);
  if (counters.replayed) response.setHeader('Idempotent-Replayed', 'true');
  // Without await, as above.
  if (!contents.hasPlaceholders) return sendText(response, text, held, counters.hasChanged);
  const needed = Buffer.byteLength(text) + STREAM_BYTES;
  if (!counters.hasChanged) held.resize(needed);
  else if (!holdChanged(response, held, needed)) return;
  return sendInPieces(response, contents.fill(text));
}

interface ApolloContext {
  readonly http: HttpOperation;
}

/** Documents between parsing and execution: Apollo reads a document right after it was stored. */
const MAX_DOCUMENTS = 16;
/** Replaces a refused document, so that Apollo does not parse the refused text. */
const EMPTY = parse('{ __typename }');

/** Admits and runs operations for Apollo, which gets their documents from `documents`. */
function pipelinePlugin(documents: LRUCache<string, DocumentNode>): ApolloServerPlugin<ApolloContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveSource: ({ source, queryHash, request, contextValue: { http } }) => {
          const { variables = {}, operationName = null } = request;
          const admitted = http.admit({ query: source, variables, operationName });
          documents.set(queryHash, admitted?.document ?? EMPTY);
          return Promise.resolve();
        },
        didResolveOperation: async ({ contextValue: { http } }) => {
          await http.run();
          // Otherwise Apollo stores the text of a persisted query now.
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
}

async function startApollo({
  schema,
  development,
  allowList,
  onError,
}: OperationsOptions): Promise<ApolloServer<ApolloContext>> {
  const warn = (message: unknown): void => onError(new Error(String(message)), null);
  const nothing = (): void => undefined;
  const documents = new LRUCache<string, DocumentNode>({ max: MAX_DOCUMENTS });
  const server = new ApolloServer<ApolloContext>({
    schema,
    // Apollo would derive other options from NODE_ENV.
    nodeEnv: 'production',
    introspection: development,
    stopOnTerminationSignals: false,
    logger: { debug: nothing, info: nothing, warn, error: warn },
    documentStore: {
      get: (key) => Promise.resolve(documents.get(hashIn(key))),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(true),
    },
    persistedQueries: { cache: persistedQueries(allowList) },
    formatError: (formatted, error) =>
      maskErrors({ development, onError: nothing }, null, [error])[0] ?? formatted,
    plugins: [
      pipelinePlugin(documents),
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
/** Longer texts are not cached. */
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

/** The hash of a text, which Apollo's caches have behind a prefix and a colon. */
function hashIn(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}
