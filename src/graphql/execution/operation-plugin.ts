import {
  HeaderMap,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type BaseContext,
  type GraphQLRequestContext,
  type GraphQLRequestListener,
} from '@apollo/server';
import { OperationTypeNode, parse, type DocumentNode } from 'graphql';

import type { GraphqlContext } from './context.js';
import { executeQuery } from './executor.js';
import type { Admitted, Gate } from '../limits/gate.js';
import { LIMITS, OperationRefused, operationRefused, tooLarge } from '../limits/limits.js';
import { Lru } from '../limits/lru.js';
import { maskErrors } from './mask.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';

export interface OperationOptions {
  readonly gate: Gate;
  readonly development: boolean;
  /** Told of faults, with the request's id. */
  readonly onError: (error: unknown, requestId: string | null) => void;
}

/** As much of the context as is looked at here. */
export type OperationContext = Pick<GraphqlContext, 'caller' | 'counters' | 'tried'>;

type Documents = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** Documents are taken as soon as they are put here: those of requests that are read at the same time. */
const KEPT = 16;
/** Stands in for a document that is refused, so that nobody else reads the refused one. */
const NOTHING = parse('{ __typename }');

/**
 * Puts the gate in the place of Apollo's own parsing and validation, and says on every answer what the operation
 * cost. `documents` is Apollo's store, which then always has what the gate has read.
 */
export function operationPlugin(options: OperationOptions): {
  readonly plugin: ApolloServerPlugin<OperationContext>;
  readonly documents: Documents;
} {
  const read = new Lru<DocumentNode>(KEPT);
  return {
    plugin: { requestDidStart: () => Promise.resolve(new Operation(options, read)) },
    documents: {
      // The key ends in the hash of the text, after a mark of the schema.
      get: (key) => Promise.resolve(read.get(key.slice(key.lastIndexOf(':') + 1))),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(true),
    },
  };
}

type Context = GraphQLRequestContext<OperationContext>;

/** One operation on its way. */
class Operation implements GraphQLRequestListener<OperationContext> {
  #admitted: Admitted | null = null;
  #refusal: OperationRefused | null = null;
  #requested = 0;

  constructor(
    private readonly options: OperationOptions,
    private readonly read: Lru<DocumentNode>,
  ) {}

  didResolveSource({ source, queryHash }: Context): Promise<void> {
    this.#try(() => {
      this.#admitted = this.options.gate.admit(source ?? '');
    });
    this.read.set(queryHash ?? '', this.#admitted?.document ?? NOTHING);
    return Promise.resolve();
  }

  didResolveOperation({ request, operation }: Context): Promise<void> {
    const admitted = this.#admitted;
    if (admitted !== null) {
      this.#try(() => {
        if (operation?.operation === OperationTypeNode.SUBSCRIPTION) throw subscriptionElsewhere();
        this.#requested = this.options.gate.price(admitted, request.variables ?? {}, request.operationName);
      });
    }
    // Apollo answers with one error only; the others are added to the answer.
    return this.#refusal === null ? Promise.resolve() : Promise.reject(this.#refusal.errors[0]);
  }

  /** Most queries are answered here; the others, and whatever goes wrong, by Apollo. */
  async responseForOperation({ schema, document, operation, request, contextValue }: Context) {
    if (document === undefined || operation == null) return null;
    const variables = request.variables ?? {};
    const data = await executeQuery({ schema, document, operation, variables, context: contextValue });
    if (data === null) return null;
    return {
      http: { headers: new HeaderMap() },
      body: { kind: 'single' as const, singleResult: { data } },
    };
  }

  willSendResponse({ contextValue, errors, response }: Context): Promise<void> {
    const { counters: tally, caller } = contextValue;
    const { headers } = response.http;
    headers.delete('cache-control');
    if (tally.replayed) headers.set('Idempotent-Replayed', 'true');
    if (response.body?.kind !== 'single') return Promise.resolve();
    const result = response.body.singleResult;
    const size = approximateJsonBytes(result.data);
    if (size > LIMITS.answerBytes) {
      result.data = null;
      errors = [tooLarge('answerBytes', size)];
    }
    result.extensions = {
      ...result.extensions,
      cost: { requested: this.#requested, actual: tally.nodes },
    };
    if (errors !== undefined) {
      result.errors = maskErrors(this.#refusal?.errors ?? errors, {
        requestId: caller.requestId,
        hideSuggestions: !this.options.development,
        report: (error) => this.options.onError(error, caller.requestId),
      });
    }
    return Promise.resolve();
  }

  #try(use: () => void): void {
    try {
      use();
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      this.#refusal = error;
      const { limit, actual } = error.errors[0].extensions;
      if (limit === 'cost') this.#requested = Number(actual);
    }
  }
}

function subscriptionElsewhere(): OperationRefused {
  return operationRefused(
    'BAD_REQUEST',
    'Subscriptions go over a WebSocket at /graphql (graphql-transport-ws), or as server-sent events at /graphql/stream.',
  );
}
