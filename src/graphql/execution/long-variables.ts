/**
 * Coerces long lists in variables in parts, before the operation is executed. graphql-js coerces all
 * variables in one turn: a list of 1,000 payments blocks the event loop for longer than a whole request
 * should take.
 */
import {
  coerceInputValue,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLList,
  type GraphQLSchema,
  type NamedTypeNode,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Variables } from '../limits/cost.js';
import { JsonValue } from '../schema/scalars.js';

/** An operation that was validated, and its variables. */
export interface Executed {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
}

/** Input objects coerced per turn of the event loop: a payment takes about 50 µs. */
const ROWS_PER_TURN = 100;

/** Type of variables whose value graphql-js does not change. */
export const ANYTHING: NamedTypeNode = {
  kind: Kind.NAMED_TYPE,
  name: { kind: Kind.NAME, value: JsonValue.name },
};

/**
 * Returns the operation with its long lists of input objects coerced, and their variables declared as JSON,
 * which graphql-js passes on unchanged. A list with an invalid entry stays as it was sent, so that graphql-js
 * reports the error.
 */
export async function coerceLongLists<E extends Executed>(executed: E): Promise<E> {
  const { schema, document, operation, variables } = executed;
  const lists = new Map<VariableDefinitionNode, readonly unknown[]>();
  for (const definition of operation.variableDefinitions ?? []) {
    const list = await coercedList(schema, definition, variables);
    if (list !== null) lists.set(definition, list);
  }
  if (lists.size === 0) return executed;
  const own: OperationDefinitionNode = {
    ...operation,
    variableDefinitions: (operation.variableDefinitions ?? []).map((definition) =>
      lists.has(definition)
        ? { kind: definition.kind, variable: definition.variable, type: ANYTHING }
        : definition,
    ),
  };
  const definitions = document.definitions.map((each) => (each === operation ? own : each));
  const coerced = [...lists].map(([{ variable }, list]) => [variable.name.value, list] as const);
  return {
    ...executed,
    operation: own,
    document: { ...document, definitions },
    variables: { ...variables, ...Object.fromEntries(coerced) },
  };
}

/** The coerced list; null if the value is not a long list of valid input objects. */
async function coercedList(
  schema: GraphQLSchema,
  { variable, type }: VariableDefinitionNode,
  variables: Variables,
): Promise<readonly unknown[] | null> {
  const { value: name } = variable.name;
  const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (!Array.isArray(given) || given.length <= ROWS_PER_TURN) return null;
  // The document is valid: the types of variables are input types.
  const list = getNullableType(typeFromAST(schema, type as NamedTypeNode)) as GraphQLInputType | undefined;
  if (!isListType(list) || !isInputObjectType(getNamedType(list))) return null;
  const { ofType } = list as GraphQLList<GraphQLInputType>;
  const coerced: unknown[] = [];
  const invalid: unknown[] = [];
  for (const [index, entry] of given.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await yieldToEventLoop();
    coerced.push(coerceInputValue(entry, ofType, (path) => invalid.push(path)));
    if (invalid.length > 0) return null;
  }
  return coerced;
}
