/**
 * The cost of an operation: how many records its response can have at most, computed before it runs.
 *
 * - A record (anything with an id) costs 1, whichever fields of it are selected.
 * - A connection costs its page size (`first` or `last`; 30 by default) times the cost of one record in it;
 *   at least the page size, since cursors and `pageInfo` read the page as well. `totalCount` alone costs
 *   nothing.
 * - A list with one entry for each entry of an argument (`nodes(ids:)`, the results of a batch) has as many
 *   entries.
 * - Any other list counts as 30 entries; entries without records cost nothing.
 * - A field that reads many rows for a small result declares its own cost (`counts`).
 * - A field of bytes (`Base64`) costs 100: a page of 100 records with bytes exceeds the limit.
 *
 * `groups(first: 10) { nodes { logicalNumbers(first: 20) { nodes { number } } } }` costs 10 + 10 × 20 = 210.
 *
 * Fields that search declare it apart from their cost (`searches`), see `searches.ts`.
 */
import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

import type { Search } from '../../database/list/request-class.js';
import { DEFAULT_FIRST } from '../schema/connection.js';
import { Base64 } from '../schema/scalars.js';
import type { Selected } from '../schema/searches.js';
import { fragmentsOf, spreadFragment, type Fragments } from './fragments.js';
import { SearchingFields } from './searches.js';

/** Cost of a field of bytes. */
export const CONTENT_COST = 100;

/** Types of variables that can be a page size, but no list or object. */
const LEAVES: ReadonlySet<string> = new Set(['Boolean', 'Float', 'ID', 'Int', 'String']);

export type Variables = Readonly<Record<string, unknown>>;

export interface Cost {
  readonly nodes: number;
  readonly searches: readonly Search[];
  /** Whether the cost is the same for all variables. */
  readonly fixed: boolean;
}

/** `document` is valid and contains `operation`. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Cost {
  const root = schema.getRootType(operation.operation);
  if (root == null) return { nodes: 0, searches: [], fixed: true };
  const meter = new Meter(schema, document, operation, variables);
  const nodes = meter.selections(operation.selectionSet, root, null);
  return { nodes, searches: meter.searching.all, fixed: meter.fixed && meter.searching.fixed };
}

class Meter {
  fixed = true;
  readonly searching: SearchingFields;
  readonly #fragments: Fragments;
  readonly #defaults = new Map<string, ValueNode>();
  /** Names of the variables with a type of `LEAVES`: they contain no list. */
  readonly #leaves = new Set<string>();

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {
    this.#fragments = fragmentsOf(document);
    this.searching = new SearchingFields(schema, operation, variables);
    for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
      if (defaultValue !== undefined) this.#defaults.set(variable.name.value, defaultValue);
      const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
      if (inner.kind === Kind.NAMED_TYPE && LEAVES.has(inner.name.value))
        this.#leaves.add(variable.name.value);
    }
  }

  /** Cost of a selection set. `size` is the length of the outer field's list argument; null if none. */
  selections(set: SelectionSetNode, parent: GraphQLNamedType, size: number | null): number {
    let nodes = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        nodes += this.#field(selection, parent, size);
      } else {
        const fragment = spreadFragment(this.#fragments, selection);
        const on = fragment?.typeCondition;
        const type = on === undefined ? parent : this.schema.getType(on.name.value);
        if (fragment !== undefined && type !== undefined) {
          nodes += this.selections(fragment.selectionSet, type, size);
        }
      }
    }
    return nodes;
  }

  #field(node: FieldNode, parent: GraphQLNamedType, inherited: number | null): number {
    const hasFields = isObjectType(parent) || isInterfaceType(parent);
    const field = hasFields ? parent.getFields()[node.name.value] : undefined;
    if (field === undefined) return 0;
    const type = getNamedType(field.type);
    if (type === Base64) return CONTENT_COST;
    if (node.selectionSet === undefined) return 0;
    const base = ownCost(field, node);
    this.searching.add(field, node, () => this.#selected(node, type));
    if (isConnection(type)) {
      const each = this.selections(node.selectionSet, type, null);
      return base + this.#pageSize(node) * (this.#readsPage(node.selectionSet) ? Math.max(each, 1) : each);
    }
    const size = base > 0 ? null : (this.#givenSize(node) ?? inherited);
    const times = isList(field) && !isConnection(parent) ? (size ?? DEFAULT_FIRST) : 1;
    return base + times * ((isNode(type) ? 1 : 0) + this.selections(node.selectionSet, type, size));
  }

  #selected({ selectionSet }: FieldNode, type: GraphQLNamedType): Selected {
    if (selectionSet === undefined || !isConnection(type)) return { page: false, total: false };
    return { page: this.#readsPage(selectionSet), total: this.#countsAll(selectionSet) };
  }

  #countsAll(set: SelectionSetNode): boolean {
    return set.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value === 'totalCount';
      const fragment = spreadFragment(this.#fragments, selection);
      return fragment !== undefined && this.#countsAll(fragment.selectionSet);
    });
  }

  /** Whether anything of a connection is selected besides its total. */
  #readsPage(set: SelectionSetNode): boolean {
    return set.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return !['totalCount', '__typename'].includes(selection.name.value);
      const fragment = spreadFragment(this.#fragments, selection);
      return fragment !== undefined && this.#readsPage(fragment.selectionSet);
    });
  }

  #pageSize(node: FieldNode): number {
    const sizes = ['first', 'last']
      .map((name) => this.#value(node.arguments?.find((argument) => argument.name.value === name)?.value))
      .filter((value) => typeof value === 'number');
    return sizes.length === 0 ? DEFAULT_FIRST : Math.max(0, ...sizes);
  }

  /** Length of the longest list in the arguments or directly in an input object; undefined if none. */
  #givenSize(node: FieldNode): number | undefined {
    const lengths = (node.arguments ?? []).flatMap(({ value }) =>
      value.kind === Kind.VARIABLE && this.#leaves.has(value.name.value)
        ? []
        : lengthsIn(this.#value(value), 1),
    );
    return lengths.length === 0 ? undefined : Math.max(...lengths);
  }

  /** Value of a variable. As in execution, a default applies to an absent variable, not to null. */
  #variable(name: string): unknown {
    const given = Object.hasOwn(this.variables, name) ? this.variables[name] : undefined;
    return given === undefined ? this.#value(this.#defaults.get(name)) : given;
  }

  /** The value of a literal or variable, if it can be a size; undefined for other kinds. */
  #value(node: ValueNode | undefined): unknown {
    switch (node?.kind) {
      case Kind.VARIABLE:
        this.fixed = false;
        return this.#variable(node.name.value);
      case Kind.INT:
        return Number(node.value);
      case Kind.LIST:
        return node.values;
      case Kind.OBJECT:
        return Object.fromEntries(node.fields.map((field) => [field.name.value, this.#value(field.value)]));
      default:
        return undefined;
    }
  }
}

/** The cost that a field declares (`counts`). */
function ownCost({ extensions }: GraphQLField<unknown, unknown>, node: FieldNode): number {
  const { counts: own, countsWhere: where } = extensions;
  const counted = where === undefined || node.arguments?.some(({ name }) => name.value === where) === true;
  return typeof own === 'number' && counted ? own : 0;
}

function lengthsIn(value: unknown, levels: number): number[] {
  if (Array.isArray(value)) return [value.length];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.values(value).flatMap((inner) => lengthsIn(inner, levels - 1));
}

function isList(field: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(field.type));
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && type.name.endsWith('Connection') && 'pageInfo' in type.getFields();
}

function isNode(type: GraphQLNamedType): boolean {
  if (isObjectType(type)) return type.getInterfaces().some((known) => known.name === 'Node');
  return isInterfaceType(type) && type.name === 'Node';
}
