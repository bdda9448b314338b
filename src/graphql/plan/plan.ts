/**
 * Reads a query as rows of the selected columns, one or two statements for each relation, and makes the JSON text of
 * the response from them: no objects, no promise for each record, and each row is made into text once. Handles
 * fields of the operation in which all is declared (declared.ts). graphql-js executes the other fields of the operation,
 * and all if a planned one fails (decisions.md#plans). Measured for the nested query: 4 ms of processor time with a
 * plan, 5 with `sha256` of each file, 30 by resolvers.
 */
import {
  GraphQLError,
  getVariableValues,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

import type { ListRow } from '../../database/list/listing.js';
import { DomainError } from '../../platform/errors.js';
import { mayUse, type Scope } from '../../platform/requests.js';
import type { Execution, GraphqlContext } from '../execution/context.js';
import { requireFewEntries } from '../execution/loaders.js';
import type { Variables } from '../limits/cost.js';
import { fragmentsOf } from '../limits/structure.js';
import { topLevelError } from '../schema/errors.js';
import { Compiler } from './compiler.js';
import { requireShort, PlanRun, Unplanned, type PlannedField } from './texts.js';

interface Plan {
  readonly scopes: readonly Scope[];
  readonly keys: PlannedFields['keys'];
  readonly fields: readonly PlannedField<ListRow>[];
  /** The operation with only the fields that the resolvers execute; null if there are none. */
  readonly others: Pick<Execution, 'document' | 'operation'> | null;
}

/** The planned fields of a response, as JSON by their names. */
export interface PlannedFields {
  /** Names of all fields in the response, in order. */
  readonly keys: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
  /** Characters of the texts. */
  readonly length: number;
}

/** The result of a query: `data` has the fields that are not planned. */
export interface PlannedResult extends ExecutionResult {
  readonly planned?: PlannedFields;
}

/** Plans of an operation by the values of the variables in its directives. Null for values without a plan. */
interface Plans {
  readonly variables: readonly string[];
  readonly byValues: Map<string, Plan | null>;
}

const MAX_PLANS = 8;
const known = new WeakMap<OperationDefinitionNode, Plans>();

/** How a query was read: by a plan, by a plan and resolvers, by resolvers, or by them after a fault of the plan. */
export type QueryReading = 'planned' | 'partly_planned' | 'executed' | 'failed';

export interface PlanOptions {
  /** False if resolvers execute every query. */
  readonly usesPlans: boolean;
  readonly countQuery: (reading: QueryReading) => void;
  /** Called for faults of plans; the resolvers execute the query all the same. */
  readonly onError: (error: unknown, requestId: string | null) => void;
}

/** The result of a query; null if resolvers must execute all. `resolve` executes the fields without a plan. */
export async function plannedResult(
  execution: Execution,
  resolve: (others: Execution) => Promise<ExecutionResult>,
  { usesPlans, countQuery, onError }: PlanOptions,
): Promise<PlannedResult | null> {
  const { schema, document, operation, variables, context } = execution;
  const { caller, counters } = context;
  if (operation.operation !== OperationTypeNode.QUERY) return null;
  const byResolvers = (reading: 'executed' | 'failed' = 'executed'): null => {
    countQuery(reading);
    return null;
  };
  if (!usesPlans) return byResolvers();
  let plan: Plan | null;
  let planned: Awaited<ReturnType<typeof read>>;
  try {
    const coerced = coercedBy(schema, operation, variables);
    plan = planOf(schema, document, operation, coerced);
    if (plan === null || !plan.scopes.every((scope) => mayUse(caller, scope))) return byResolvers();
    planned = await read(plan, coerced, context);
  } catch (error) {
    // Resolvers would wait as long as the plan did, for the same error.
    if (error instanceof DomainError && ['busy', 'deadline_exceeded'].includes(error.code))
      return { data: null, errors: [topLevelError(error)] };
    if (isExpected(error)) return byResolvers();
    onError(error, caller.requestId);
    return byResolvers('failed');
  }
  countQuery(plan.others === null ? 'planned' : 'partly_planned');
  counters.nodes += planned.nodes;
  counters.entries += planned.entries;
  const result = plan.others === null ? { data: {} } : await resolve({ ...execution, ...plan.others });
  return { ...result, planned };
}

/** True for an error that resolvers are to report, if they meet it. */
const isExpected = (error: unknown): boolean =>
  [Unplanned, GraphQLError, DomainError].some((type) => error instanceof type);

/** Errors: any, if the resolvers must execute the planned fields. */
async function read(plan: Plan, variables: Variables, context: GraphqlContext) {
  const { loaders } = context;
  const { keys, fields } = plan;
  return await loaders.uncounted(async (work) => {
    const run = new PlanRun(work, variables, context);
    const texts = new Map<string, string>();
    let length = 0;
    const rows = [{}];
    for (const field of fields) {
      const [text = ''] = 'write' in field ? [field.write({}, run)] : await field.texts(run, rows, [1]);
      length += text.length;
      requireShort(length);
      texts.set(field.key, text);
    }
    requireFewEntries(run.entries);
    return { keys, texts, length, nodes: run.nodes, entries: run.entries };
  });
}

function coercedBy(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  if (variableDefinitions.length === 0) return {};
  const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 });
  if (coerced === undefined) throw new Unplanned('The variables are invalid');
  return coerced;
}

function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Plan | null {
  const plans: Plans = known.get(operation) ?? {
    variables: variablesOfDirectives(document),
    byValues: new Map(),
  };
  known.set(operation, plans);
  const values = plans.variables.map((name) => String(variables[name])).join();
  const plan = plans.byValues.get(values);
  if (plan !== undefined) return plan;
  const compiled = compile(schema, document, operation, variables);
  if (plans.byValues.size < MAX_PLANS) plans.byValues.set(values, compiled);
  return compiled;
}

function variablesOfDirectives(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Plan | null {
  const root = schema.getQueryType();
  if (root == null) return null;
  const compiler = new Compiler(schema, fragmentsOf(document), variables);
  const selected = compiler.selected(root, operation.selectionSet);
  const fields: PlannedField<ListRow>[] = [];
  const others: FieldNode[] = [];
  for (const field of selected) {
    try {
      fields.push(compiler.root(root, field));
    } catch (error) {
      if (!isExpected(error)) throw error;
      others.push(...field[1]);
    }
  }
  const isRead = fields.some((field) => !('write' in field));
  if (!isRead) return null;
  return {
    scopes: [...compiler.scopes],
    keys: selected.map(([key]) => key),
    fields,
    others: others.length === 0 ? null : operationOf(document, operation, others),
  };
}

function operationOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  fields: readonly FieldNode[],
): Pick<Execution, 'document' | 'operation'> {
  const selectionSet = { ...operation.selectionSet, selections: fields };
  const own = { ...operation, selectionSet };
  const definitions = document.definitions.map((each) => (each === operation ? own : each));
  return { document: { ...document, definitions }, operation: own };
}
