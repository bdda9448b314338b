/**
 * Reads a query as rows of the selected columns, one statement for each relation, and makes the JSON text of
 * the response from them: no objects, no promise for each record, and each row is made into text once,
 * however many lists contain it.
 *
 * Handles successful operations with declared fields (see declared.ts), and asks the resolvers of other fields
 * of a record once for each row. Everything else is left to the resolvers (decisions.md#plans). Measured for the nested query: 11.8 ms of processor time with plans, 127 by
 * resolvers.
 */
import {
  getVariableValues,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

import type { ListRow } from '../../database/list/listing.js';
import type { ReadWork } from '../../database/work.js';
import { mayUse, type Scope } from '../../platform/caller.js';
import type { Execution } from '../execution/context.js';
import { FieldCollector } from '../execution/field-collector.js';
import type { Variables } from '../limits/cost.js';
import { Compiler, type RootField } from './compiler.js';
import { demandShort, PlanRun, Unplanned } from './run.js';
import { objectTexts, type Texts } from './texts.js';

interface Plan {
  /** Scopes that the caller needs. */
  readonly scopes: readonly Scope[];
  /** Whether the plan reads a list whose records may be large. */
  readonly isLarge: boolean;
  readonly fields: readonly RootField[];
  readonly texts: Texts<ListRow>;
}

/** Plans of an operation by the values of the variables in its directives. Null for values without a plan. */
interface Plans {
  readonly variables: readonly string[];
  readonly byValues: Map<string, Plan | null>;
}

const MAX_PLANS = 8;
const known = new WeakMap<OperationDefinitionNode, Plans>();

/** The JSON text of the data of a query; null if the resolvers must execute it. */
export async function plannedText({
  schema,
  document,
  operation,
  variables,
  context,
}: Execution): Promise<string | null> {
  const { loaders, caller, counters } = context;
  const { nodes: before } = counters;
  if (operation.operation !== OperationTypeNode.QUERY || loaders.isSearch) return null;
  try {
    const coerced = coercedBy(schema, operation, variables);
    const plan = planOf(schema, document, operation, coerced);
    if (plan === null || !plan.scopes.every((scope) => mayUse(caller, scope))) return null;
    const isSingle = loaders.isRemote && isSingleStatement(plan, coerced);
    const read = async (work: ReadWork) => {
      const run = new PlanRun(work, coerced, context, isSingle);
      const [text = ''] = await plan.texts(run, [{}], [1]);
      demandShort(text.length);
      return { text, nodes: run.nodes };
    };
    const { text, nodes } = await (isSingle ? loaders.single(read) : loaders.uncounted(read, plan.isLarge));
    // A resolver was called once for a record that may be in the response several times.
    if (counters.nodes !== before) throw new Unplanned('A resolver that counts records');
    counters.nodes += nodes;
    return text;
  } catch {
    counters.nodes = before;
    return null;
  }
}

function isSingleStatement({ isLarge, fields: [field, ...others] }: Plan, variables: Variables): boolean {
  return !isLarge && others.length === 0 && field?.isSingle?.(variables) === true;
}

function coercedBy(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Variables {
  if (variableDefinitions.length === 0) return {};
  const { coerced } = getVariableValues(schema, variableDefinitions, variables);
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

/** Names of all variables in the directives of a document. */
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
  try {
    const compiler = new Compiler(new FieldCollector(schema, document, variables));
    const fields = compiler.root(root, operation.selectionSet);
    return { scopes: [...compiler.scopes], isLarge: compiler.isLarge, fields, texts: objectTexts(fields) };
  } catch {
    return null;
  }
}
