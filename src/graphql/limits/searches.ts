/**
 * Collects the searches of an operation: lists with filters, counts and summaries may read many rows to find
 * few, or none. Each field declares a function of its arguments. A field that is executed for many parents is
 * counted once, because their rows are read together.
 */
import {
  getArgumentValues,
  getVariableValues,
  GraphQLError,
  Kind,
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';

import type { Search } from '../../database/list/request-class.js';
import type { Searches, Selected } from '../schema/searches.js';
import { operationRefused } from './limits.js';

export class SearchingFields {
  readonly all: Search[] = [];
  /** Whether the searches are the same for all variables. */
  fixed = true;
  readonly #known = new Map<FieldNode, readonly (Search | null)[]>();
  #coerced: Readonly<Record<string, unknown>> | null | undefined;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly operation: OperationDefinitionNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  /**
   * Call once per occurrence of a field, fragments expanded. Throws `OperationRefused` for a large filter.
   */
  add(field: GraphQLField<unknown, unknown>, node: FieldNode, selected: () => Selected): void {
    const searches = field.extensions.searches as Searches | undefined;
    if (searches === undefined) return;
    const known = this.#known.get(node) ?? this.#searchesOf(searches, field, node, selected());
    this.#known.set(node, known);
    for (const each of known) if (each !== null) this.all.push(each);
  }

  #searchesOf(
    searches: Searches,
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    selected: Selected,
  ): readonly (Search | null)[] {
    if (node.arguments?.some((argument) => isVariable(argument)) === true) this.fixed = false;
    const variables = this.#coercedVariables();
    if (variables === null) {
      // Execution refuses invalid variables.
      this.fixed = false;
      return [];
    }
    try {
      return searches(getArgumentValues(field, node, variables), selected);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      const { code, ...details } = error.extensions;
      if (details.limit !== undefined) throw operationRefused(String(code), error.message, details);
      // The resolver reports this error instead of reading.
      this.fixed = false;
      return [];
    }
  }

  #coercedVariables(): Readonly<Record<string, unknown>> | null {
    if (this.#coerced === undefined) {
      const { variableDefinitions = [] } = this.operation;
      const { coerced } = getVariableValues(this.schema, variableDefinitions, this.variables, {
        maxErrors: 1,
      });
      this.#coerced = coerced ?? null;
    }
    return this.#coerced;
  }
}

/** Whether an argument has variables that may change the searches; `after` and `before` do not. */
function isVariable({ name, value }: ArgumentNode): boolean {
  return name.value !== 'after' && name.value !== 'before' && hasVariable(value);
}

/** Whether a value depends on variables. */
export function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}
