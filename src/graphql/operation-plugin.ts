import type {
  ApolloServerOptions,
  ApolloServerPlugin,
  BaseContext,
  GraphQLRequestContext,
  GraphQLRequestListener,
} from '@apollo/server';
import { OperationTypeNode, parse, type DocumentNode } from 'graphql';

import type { GraphqlContext } from './context.js';
import type { Admitted, Gate } from './gate.js';
import { Refusal, refusal } from './limits.js';
import { Lru } from './lru.js';
import { maskErrors } from './mask.js';

export interface OperationOptions {
  readonly gate: Gate;
  readonly development: boolean;
  /** Told of faults, with the request's id. */
  readonly onError: (error: unknown, requestId: string | null) => void;
}

/** As much of the context as is looked at here. */
export type OperationContext = Pick<GraphqlContext, 'caller' | 'tally'>;

type Documents = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

const KEPT = 1_000;
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
  #refusal: Refusal | null = null;
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

  willSendResponse({ contextValue, errors, response }: Context): Promise<void> {
    const { tally, caller } = contextValue;
    const { headers } = response.http;
    headers.delete('cache-control');
    if (tally.replayed) headers.set('Idempotent-Replayed', 'true');
    if (response.body?.kind !== 'single') return Promise.resolve();
    const result = response.body.singleResult;
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
      if (!(error instanceof Refusal)) throw error;
      this.#refusal = error;
    }
  }
}

function subscriptionElsewhere(): Refusal {
  return refusal('BAD_REQUEST', 'Subscriptions go over a WebSocket or as server-sent events.');
}
