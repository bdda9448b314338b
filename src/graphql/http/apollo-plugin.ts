import {
  HeaderMap,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type BaseContext,
  type GraphQLRequestContext,
  type GraphQLRequestListener,
} from '@apollo/server';
import { OperationTypeNode, parse, type DocumentNode, type GraphQLError } from 'graphql';

import type { OperationContext } from '../execution/context.js';
import { coerceLongLists } from '../execution/long-variables.js';
import type { MaskingOptions } from '../execution/mask.js';
import { shareArguments } from '../execution/shared-arguments.js';
import { executeRepeatable } from '../idempotency/repeatable-mutation.js';
import type { Admission, AdmittedDocument } from '../limits/admission.js';
import { operationRefused, type OperationRefused } from '../limits/limits.js';
import { Lru } from '../limits/lru.js';
import { plannedText } from '../plan/plan.js';
import { CheckedOperation } from './checked-operation.js';

export interface PluginOptions extends MaskingOptions {
  readonly admission: Admission;
}

/** Functions that make the texts of long and planned responses, by the data of the response. */
type Texts = WeakMap<object, (result: object) => Promise<string>>;

type Documents = NonNullable<ApolloServerOptions<BaseContext>['documentStore']>;

/** Documents between parsing and execution: Apollo reads a document right after it was stored. */
const MAX_DOCUMENTS = 16;
/** Replaces a refused document, so that Apollo does not parse the refused text. */
const EMPTY = parse('{ __typename }');

/**
 * Replaces parsing and validation of Apollo by `Admission`, executes most operations, and adds their cost to
 * every response. `documents` is a document store for Apollo that contains the documents of `Admission`.
 */
export function apolloPlugin(options: PluginOptions): {
  readonly plugin: ApolloServerPlugin<OperationContext>;
  readonly documents: Documents;
  /** Makes the text of a response. Yields to the event loop between the parts of a long one. */
  readonly stringify: (result: object) => Promise<string>;
} {
  const parsed = new Lru<DocumentNode>(MAX_DOCUMENTS);
  const texts: Texts = new WeakMap();
  return {
    plugin: { requestDidStart: () => Promise.resolve(new HttpOperation(options, parsed, texts)) },
    documents: {
      // The key is the hash of the schema, a colon, and the hash of the text.
      get: (key) => Promise.resolve(parsed.get(key.slice(key.lastIndexOf(':') + 1))),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(true),
    },
    stringify: async (result) => {
      const { data } = result as { readonly data?: object | null };
      const text = data == null ? undefined : texts.get(data);
      return text === undefined ? JSON.stringify(result) : await text(result);
    },
  };
}

type Context = GraphQLRequestContext<OperationContext>;

class HttpOperation implements GraphQLRequestListener<OperationContext> {
  readonly #checked: CheckedOperation;
  #admitted: AdmittedDocument | undefined;
  #errors: readonly GraphQLError[] | undefined;
  /** JSON text of the data of a planned query; null for other operations. */
  #planned: string | null = null;

  constructor(
    private readonly options: PluginOptions,
    private readonly parsed: Lru<DocumentNode>,
    private readonly texts: Texts,
  ) {
    this.#checked = new CheckedOperation(options);
  }

  async didResolveSource({ source, queryHash }: Context): Promise<void> {
    this.#admitted = await this.#checked.check(() => this.options.admission.admit(source ?? ''));
    this.parsed.set(queryHash ?? '', this.#admitted?.document ?? EMPTY);
  }

  async didResolveOperation({ request, operation, contextValue: context }: Context): Promise<void> {
    const admitted = this.#admitted;
    if (admitted !== undefined && operation !== undefined) {
      context.watched?.known({ type: operation.operation, name: operation.name?.value ?? null });
      await this.#checked.check(async () => {
        if (operation.operation === OperationTypeNode.SUBSCRIPTION) throw subscriptionOverHttp();
        const { variables = {}, operationName } = request;
        const price = this.options.admission.price(admitted, variables, operationName);
        this.#checked.requestedCost = price.nodes;
        await context.classify(price, operation.operation);
      });
    }
    // Apollo responds with this error only; `willSendResponse` adds the other errors.
    const { refusal } = this.#checked;
    if (refusal !== null) throw refusal.errors[0];
  }

  /** Null for operations that Apollo executes: mutations without an Idempotency-Key, unplanned queries. */
  async responseForOperation(of: Context) {
    const { schema, document, operation, request, contextValue: context } = of;
    if (document === undefined || operation == null) return null;
    const execution = { schema, document, operation, variables: request.variables ?? {}, context };
    const mask = (errors: readonly GraphQLError[]) => this.#checked.masked(context, errors);
    const planned = await plannedText(execution);
    if (planned !== null) {
      this.#planned = String(planned);
      return single({});
    }
    const result = await executeRepeatable({ ...execution, mask });
    if (result === null) {
      // Document and variables for the execution by Apollo.
      const coerced = shareArguments(await coerceLongLists(execution));
      Object.assign(of, { document: coerced.document });
      request.variables = coerced.variables;
      return null;
    }
    this.#errors = result.errors;
    return single(result.data ?? null);
  }

  async willSendResponse(of: Context): Promise<void> {
    const { contextValue: context, errors = this.#errors, response } = of;
    const { http, body } = response;
    http.headers.delete('cache-control');
    if (context.counters.replayed) http.headers.set('Idempotent-Replayed', 'true');
    if (body?.kind !== 'single') return;
    const result = body.singleResult;
    const planned = this.#planned;
    if (planned !== null && result.data != null) {
      this.texts.set(result.data, () => Promise.resolve(this.#checked.textOf(context, planned)));
      return;
    }
    const {
      data,
      errors: shown,
      cost,
      measure,
    } = await this.#checked.respond(context, { data: result.data, errors });
    if (data === null) result.data = null;
    if (data != null && measure !== null) this.texts.set(data, (whole) => measure.text(whole));
    result.extensions = { ...result.extensions, cost };
    if (shown !== undefined) result.errors = shown;
  }
}

function single(data: Record<string, unknown> | null) {
  return {
    http: { headers: new HeaderMap() },
    body: { kind: 'single' as const, singleResult: { data } },
  };
}

function subscriptionOverHttp(): OperationRefused {
  return operationRefused(
    'BAD_REQUEST',
    'Subscriptions go over a WebSocket at /graphql (graphql-transport-ws), or as server-sent events at /graphql/stream.',
  );
}
