/**
 * Mutations with an Idempotency-Key: a repeated request within 24 hours gets the stored response, byte for byte. A
 * request is a field of the mutation with its alias, its selection and the variables in it. Each field is executed by
 * itself, so that its response is stored in the transaction of its change. Refused mutations are not stored.
 */
import {
  execute,
  getVariableValues,
  GraphQLError,
  Kind,
  locatedError,
  OperationTypeNode,
  print,
  separateOperations,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLFormattedError,
} from 'graphql';
import { collectFields } from 'graphql/execution/collectFields.js';
import { createHash } from 'node:crypto';

import type { WriteWork } from '../../database/work.js';
import { SECOND } from '../../platform/clock.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { DomainError } from '../../platform/errors.js';
import type { IdempotencyKey } from '../../platform/requests.js';
import { findSentFile } from '../http/operation-text.js';
import { approximateJsonBytes, LIMITS, LONG_RESPONSE, tooLarge } from '../limits/limits.js';
import { fragmentsOf } from '../limits/structure.js';
import { requestError } from '../schema/errors.js';
import type { Content } from './contents.js';
import type { Execution, RepeatableChange } from './context.js';
import { coerceLongLists } from './long-input.js';
import { errorsShown } from './mask.js';

/** The response of one mutation field as it is stored, as JSON. */
interface StoredPayload {
  /** `{ [alias]: payload }` with placeholders for bytes; null if an error made it null. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphQLFormattedError[];
  readonly recordCount: number;
  readonly contents: readonly (Content & { readonly placeholder: string })[];
}

/** Thrown instead of changing anything: the same request has a stored payload; `text` is its JSON. */
class StoredPayloadFound extends Error {
  constructor(readonly text: string) {
    super('The mutation was executed before.');
  }
}

/** Maximum time to render a payload: other writes wait meanwhile, and give up after 5 seconds. */
const RENDER_MS = 2 * SECOND;
const SUCCESS = 200;

export interface RepeatableExecution extends Execution {
  /** Errors as clients may see them: these are stored. */
  readonly mask: (errors: readonly GraphQLError[]) => readonly GraphQLFormattedError[];
}

/** The response; null for operations that the library is to execute as a whole. */
export async function executeRepeatable(execution: RepeatableExecution): Promise<ExecutionResult | null> {
  const { schema, operation: given, context } = execution;
  const { idempotencyKey } = context.request;
  const mutations = schema.getMutationType();
  if (given.operation !== OperationTypeNode.MUTATION || mutations == null || idempotencyKey === null) {
    return null;
  }
  const ready = await coerceLongLists(execution);
  const { document, operation, variables } = ready;
  const { variableDefinitions: definitions = [] } = operation;
  const { coerced } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
  if (coerced === undefined) return null;
  const fields = collectFields(schema, fragmentsOf(document), coerced, mutations, operation.selectionSet);
  const data: [string, unknown][] = [];
  const errors: GraphQLError[] = [];
  for (const [alias, nodes] of fields) {
    const field = nodes[0]?.name.value ?? '';
    // The operation as the client sent it decides whether a request is repeated.
    const fingerprint = fingerprintOf(documentOf(execution, nodes), execution.variables);
    const key = { key: idempotencyKey, call: `graphql payload ${field} ${alias}`, fingerprint };
    const result = await new RepeatableField(ready, key, documentOf(ready, nodes))
      .execute(field)
      .catch((error: unknown) => ({ data: null, errors: [locatedError(error, nodes, [alias])] }));
    errors.push(...(result.errors ?? []));
    if (result.data == null) return { data: null, errors };
    data.push([alias, result.data[alias]]);
  }
  return { data: Object.fromEntries(data), ...(errors.length === 0 ? {} : { errors }) };
}

/**
 * One field of a mutation with an Idempotency-Key. The transaction of its change stays open while the payload is
 * rendered, and stores it before the commit: after a crash, either both exist or neither (decisions.md#idempotency).
 */
class RepeatableField implements RepeatableChange {
  readonly #recordsBefore: number;
  readonly #rendered = Promise.withResolvers<StoredPayload>();
  #transaction: Promise<void> | null = null;
  /** True if the change was made and its transaction waits for the payload. */
  #isOpen = false;

  constructor(
    private readonly execution: RepeatableExecution,
    private readonly key: IdempotencyKey,
    private readonly document: DocumentNode,
  ) {
    this.#recordsBefore = execution.context.counters.nodes;
  }

  /** Errors: BAD_USER_INPUT for a mutation whose response shows a secret, and is therefore not stored. */
  async execute(name: string): Promise<ExecutionResult> {
    const { context } = this.execution;
    if (context.services.secretMutations.includes(name)) {
      throw requestError(`${name} takes no Idempotency-Key: its response shows a secret that is not stored.`);
    }
    context.repeatable = this;
    try {
      return await this.#executeOnce();
    } finally {
      context.repeatable = null;
      await this.#end(null);
    }
  }

  /** Makes the change; its transaction stays open for reads. Errors: `idempotency_mismatch`, `StoredPayloadFound`. */
  run<T>(use: (work: WriteWork) => Promise<T>): Promise<T> {
    if (this.#transaction !== null) throw new Error('A mutation makes one change.');
    const { caller, loaders, services } = this.execution.context;
    return new Promise((resolve, reject) => {
      this.#transaction = services.units.write(caller, async (work) => {
        await this.#refuseStored(work);
        const result = await use(work);
        loaders.enterTransaction(work);
        this.#isOpen = true;
        resolve(result);
        await this.#store(work, await this.#renderedInTime());
      });
      this.#transaction.catch(reject);
    });
  }

  /** Refuses a repeated request before a change in parts, of which `run` makes the last. Errors: as those of `run`. */
  async refuseRepeated(): Promise<void> {
    const { caller, services } = this.execution.context;
    await services.units.write(caller, (work) => this.#refuseStored(work));
  }

  async #executeOnce(): Promise<ExecutionResult> {
    const { schema, variables, context, mask } = this.execution;
    const { document } = this;
    const result = await execute({ schema, document, variableValues: variables, contextValue: context });
    const found = result.errors?.find(({ originalError }) => originalError instanceof StoredPayloadFound);
    if (found !== undefined) return await this.#replay((found.originalError as StoredPayloadFound).text);
    if (!this.#isOpen) return result;
    const size = approximateJsonBytes(result.data);
    if (size > LIMITS.answerBytes) throw tooLarge('answerBytes', size);
    if (size > LONG_RESPONSE) await yieldToEventLoop();
    const payload = this.#payloadOf(
      result.data ?? null,
      mask(errorsShown(this.execution, result.errors ?? [])),
    );
    await this.#end(payload);
    if (size > LONG_RESPONSE) await yieldToEventLoop();
    return resultOf(payload);
  }

  #payloadOf(data: StoredPayload['data'], errors: StoredPayload['errors']): StoredPayload {
    const { counters, contents } = this.execution.context;
    const placeholders = contents.placeholdersIn(contents.hasPlaceholders ? JSON.stringify(data) : '');
    return {
      data,
      errors,
      recordCount: counters.nodes - this.#recordsBefore,
      contents: [...placeholders].map(([placeholder, content]) => ({ placeholder, ...content })),
    };
  }

  /** Replays a stored payload. Its placeholders are replaced by placeholders of this operation. */
  async #replay(text: string): Promise<ExecutionResult> {
    const { counters, contents } = this.execution.context;
    const stored = JSON.parse(text) as StoredPayload;
    let current = text;
    for (const { placeholder, id, size } of stored.contents) {
      current = current.replaceAll(placeholder, await contents.base64({ id, size }));
    }
    counters.nodes = this.#recordsBefore + stored.recordCount;
    counters.replayed = true;
    return resultOf(JSON.parse(current) as StoredPayload);
  }

  /** Ends an open transaction: stores the payload and commits, or rolls back. Errors: those of the commit, `busy`. */
  async #end(payload: StoredPayload | null): Promise<void> {
    if (!this.#isOpen) return;
    await this.execution.context.loaders.leaveTransaction();
    this.#isOpen = false;
    if (payload === null) this.#rendered.reject(new Error('The payload was not rendered.'));
    else this.#rendered.resolve(payload);
    await this.#transaction?.catch((error: unknown) => {
      if (payload !== null) throw error;
    });
  }

  async #refuseStored(work: WriteWork): Promise<void> {
    const stored = await this.execution.context.services.storedResponses.find(work, this.key);
    if (stored !== undefined) throw new StoredPayloadFound(stored.answer);
  }

  /** A stored response protects one content from deletion. Further contents need a stored response each. */
  async #store(work: WriteWork, payload: StoredPayload): Promise<void> {
    const { storedResponses } = this.execution.context.services;
    const [first, ...more] = new Set(payload.contents.map(({ id }) => id));
    const answer = JSON.stringify(payload);
    await storedResponses.store(work, this.key, { status: SUCCESS, contentId: first ?? null, answer });
    for (const contentId of more) {
      const key = { ...this.key, call: `${this.key.call} content ${contentId}` };
      await storedResponses.find(work, key);
      await storedResponses.store(work, key, { status: SUCCESS, contentId, answer: '' });
    }
  }

  async #renderedInTime(): Promise<StoredPayload> {
    const message = `Nothing was changed: reading the payload took more than ${RENDER_MS} ms. Select less of it, or send no Idempotency-Key.`;
    const refuse = (): void => this.#rendered.reject(new DomainError('busy', message, { retryAfter: 1 }));
    const timeout = setTimeout(refuse, RENDER_MS);
    try {
      return await this.#rendered.promise;
    } finally {
      clearTimeout(timeout);
    }
  }
}

class StoredError extends GraphQLError {
  constructor(private readonly formatted: GraphQLFormattedError) {
    super(formatted.message, { path: formatted.path ?? null, extensions: formatted.extensions ?? null });
  }

  override toJSON(): GraphQLFormattedError {
    return this.formatted;
  }
}

function resultOf({ data, errors }: StoredPayload): ExecutionResult {
  return { data, ...(errors.length === 0 ? {} : { errors: errors.map((error) => new StoredError(error)) }) };
}

function documentOf({ document, operation }: Execution, nodes: readonly FieldNode[]): DocumentNode {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const single = { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } } as const;
  return { kind: Kind.DOCUMENT, definitions: [single, ...fragments] };
}

/** SHA-256 of the selection with its fragments, and of the variables in it as the client sent them. */
function fingerprintOf(single: DocumentNode, variables: Execution['variables']): string {
  const [document = single] = Object.values(separateOperations(single));
  const used = new Set<string>();
  const selection = visit(document, {
    VariableDefinition: () => null,
    Variable: ({ name }) => void used.add(name.value),
  });
  const defaults = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  const request = [
    print(selection),
    defaults.filter(({ variable }) => used.has(variable.name.value)).map((definition) => print(definition)),
    [...used].sort().map((name) => [name, variables[name]]),
  ];
  return createHash('sha256').update(JSON.stringify(request, canonical)).digest('hex');
}

/** Uploads by their bytes, objects with their keys in order. */
function canonical(_key: string, value: unknown): unknown {
  const file = findSentFile(value);
  if (file !== undefined) return { fileName: file.fileName, sha256: file.sha256 };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
