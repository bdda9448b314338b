/**
 * Mutations with an Idempotency-Key: a repeated key and request within 24 hours gets the stored response,
 * byte for byte, even if data or the schema have changed since. Refused mutations are not stored.
 *
 * The request is a field of the mutation with its alias, its selection and the variables in it. Each field is
 * executed by the library on its own, so that its response can be stored in the transaction of its change.
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
  type GraphQLFormattedError,
} from 'graphql';
import { createHash } from 'node:crypto';

import type { Caller } from '../../platform/caller.js';
import { workFor, yieldToEventLoop, type Owner } from '../../platform/concurrency/event-loop.js';
import { findSentFile } from '../http/upload.js';
import { approximateJsonBytes } from '../limits/json-bytes.js';
import { LIMITS, LONG_RESPONSE, tooLarge } from '../limits/limits.js';
import type { Execution } from './context.js';
import { FieldCollector, type CollectedField } from './field-collector.js';
import { coerceLongLists } from './long-input.js';
import { StoredPayloadFound, type RepeatableChange, type StoredPayload } from './repeatable-change.js';

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
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (coerced === undefined) return null;
  const data: [string, unknown][] = [];
  const errors: GraphQLError[] = [];
  for (const field of new FieldCollector(schema, document, coerced).of(mutations, [operation.selectionSet])) {
    const result = await new RepeatableField(execution, ready, field, idempotencyKey).execute();
    errors.push(...(result.errors ?? []));
    if (result.data == null) return { data: null, errors };
    data.push([field.key, result.data[field.key]]);
  }
  return { data: Object.fromEntries(data), ...(errors.length === 0 ? {} : { errors }) };
}

class RepeatableField {
  readonly #recordsBefore: number;

  constructor(
    /** The operation as the client sent it: decides whether a request is repeated. */
    private readonly execution: RepeatableExecution,
    private readonly ready: RepeatableExecution,
    private readonly field: CollectedField,
    private readonly key: string,
  ) {
    this.#recordsBefore = execution.context.counters.nodes;
  }

  async execute(): Promise<ExecutionResult> {
    const { key: alias, nodes } = this.field;
    const field = nodes[0].name.value;
    const document = documentOf(this.execution, this.field);
    const fingerprint = fingerprintOf(document, this.execution.variables);
    const idempotencyKey = { key: this.key, call: `graphql payload ${field} ${alias}`, fingerprint };
    try {
      const change = this.execution.context.repeatableChange(idempotencyKey, field);
      try {
        return await this.#executeOnce(documentOf(this.ready, this.field), change);
      } finally {
        await change.abandon();
      }
    } catch (error) {
      return { data: null, errors: [locatedError(error, nodes, [alias])] };
    }
  }

  async #executeOnce(document: DocumentNode, change: RepeatableChange): Promise<ExecutionResult> {
    const { schema, variables, context, mask } = this.ready;
    const contextValue = context.during(change);
    // Other writes wait for the open transaction, so it runs before other work of its company.
    const result = await workFor(changeOwner(context.caller), () =>
      execute({ schema, document, variableValues: variables, contextValue }),
    );
    const found = result.errors?.find(({ originalError }) => originalError instanceof StoredPayloadFound);
    if (found !== undefined) return await this.#replay((found.originalError as StoredPayloadFound).text);
    if (!change.isOpen) return result;
    const size = approximateJsonBytes(result.data);
    if (size > LIMITS.answerBytes) throw tooLarge('answerBytes', size);
    if (size > LONG_RESPONSE) await yieldToEventLoop();
    const payload = this.#payloadOf(result.data ?? null, mask(result.errors ?? []));
    await change.commit(payload);
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
}

/** A stored error, shown without changes. */
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

/** The operation with this field alone. */
function documentOf({ document, operation }: Execution, { nodes }: CollectedField): DocumentNode {
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

function changeOwner({ companyId }: Caller): Owner {
  return { party: `changes of ${companyId}`, client: null };
}
