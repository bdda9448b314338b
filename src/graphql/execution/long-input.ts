/**
 * Prepares long input for graphql-js, which would coerce all variables in one turn of the event loop: 1,000 payments
 * take 50 ms.
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

export interface Executable {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables;
}

/** Input objects coerced per turn of the event loop: a payment takes about 50 µs. */
const ROWS_PER_TURN = 100;
/** Type of variables whose value graphql-js does not change. */
const ANYTHING: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: JsonValue.name } };

/** Coerces long lists, and declares their variables as JSON. If an entry is invalid, graphql-js reports it. */
export async function coerceLongLists<E extends Executable>(given: E): Promise<E> {
  const { schema, document, operation, variables } = given;
  const lists = new Map<VariableDefinitionNode, readonly unknown[]>();
  for (const definition of operation.variableDefinitions ?? []) {
    const list = await coercedList(schema, definition, variables);
    if (list !== null) lists.set(definition, list);
  }
  if (lists.size === 0) return given;
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
    ...given,
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
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (!Array.isArray(value) || value.length <= ROWS_PER_TURN) return null;
  // The document is valid: the types of variables are input types.
  const list = getNullableType(typeFromAST(schema, type as NamedTypeNode)) as GraphQLInputType | undefined;
  if (!isListType(list) || !isInputObjectType(getNamedType(list))) return null;
  const { ofType } = list as GraphQLList<GraphQLInputType>;
  const coerced: unknown[] = [];
  const invalid: unknown[] = [];
  for (const [index, entry] of value.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await yieldToEventLoop();
    coerced.push(coerceInputValue(entry, ofType, (path) => invalid.push(path)));
    if (invalid.length > 0) return null;
  }
  return coerced;
}
