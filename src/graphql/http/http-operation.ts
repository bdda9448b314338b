import type { Request, Response } from 'express';
import { GraphQLError, OperationTypeNode } from 'graphql';

import type { WatchedOperation } from '../../http/monitoring/operations.js';
import type { GraphqlContext } from '../execution/context.js';
import { firstCode, maskErrors } from '../execution/mask.js';
import { operationRefused, OperationRefused } from '../limits/limits.js';
import { Operation, type OperationParts, type OperationText } from '../operation.js';
import { graphqlContextOf } from './request.js';

export interface HttpAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** The operation of one request. */
export class HttpOperation {
  /** Null until the operation has run or was refused. */
  answer: HttpAnswer | null = null;
  isRefused = false;
  #operation: Operation | null = null;
  /** Maximum number of records in the response. */
  #requestedCost = 0;
  readonly #context: GraphqlContext;

  constructor(
    private readonly parts: OperationParts,
    private readonly request: Request,
    private readonly response: Response,
    private readonly watched: WatchedOperation,
  ) {
    this.#context = graphqlContextOf(response);
  }

  /** Null if the operation is refused. */
  admit(text: OperationText): Operation | null {
    try {
      return (this.#operation = new Operation(this.parts, text));
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  /** Runs the admitted operation. */
  async run(): Promise<HttpAnswer> {
    const operation = this.#operation;
    if (operation === null) return this.answer ?? this.#fail(new Error('No operation was admitted.'));
    const { watched } = this;
    try {
      watched.known(operation.label);
      this.#demandTransport(operation.kind);
      this.#requestedCost = operation.price().nodes;
      const extensions = () => this.#extensions;
      const { text, isExecuted, code } = await operation.answer(this.#context, { extensions });
      if (code !== null) watched.failed(code);
      return (this.answer = { status: isExecuted ? 200 : 400, text });
    } catch (error) {
      return this.#fail(error);
    }
  }

  #fail(error: unknown): HttpAnswer {
    return this.refuse(error instanceof OperationRefused ? error.errors : [error]);
  }

  /** Answers with errors. `extensions.http` of the first one has the status. */
  refuse(errors: readonly unknown[]): HttpAnswer {
    const [first] = errors;
    const { limit, actual, http } = first instanceof GraphQLError ? first.extensions : {};
    if (limit === 'cost') this.#requestedCost = Number(actual);
    const shown = maskErrors(this.parts, this.#context.caller.requestId, errors);
    this.watched.failed(firstCode(shown));
    this.isRefused = true;
    const { status = 500 } = (http ?? {}) as { readonly status?: number };
    return (this.answer = { status, text: JSON.stringify({ errors: shown, extensions: this.#extensions }) });
  }

  get #extensions(): object {
    return { cost: { requested: this.#requestedCost, actual: this.#context.counters.nodes } };
  }

  /** Refuses changes by GET, and subscriptions. */
  #demandTransport(kind: OperationTypeNode): void {
    if (kind === OperationTypeNode.QUERY) return;
    if (this.request.method === 'GET') {
      this.response.setHeader('Allow', 'POST');
      throw refusedWith(405, `GET requests only support query operations, not ${kind} operations`);
    }
    if (kind === OperationTypeNode.SUBSCRIPTION) {
      throw operationRefused(
        'BAD_REQUEST',
        'Subscriptions go over a WebSocket at /graphql (graphql-transport-ws), or as server-sent events at /graphql/stream.',
      );
    }
  }
}

/** A refusal that the client gets with this status. */
export function refusedWith(status: number, message: string): OperationRefused {
  return new OperationRefused([
    new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status } } }),
  ]);
}
