/**
 * The cost of an operation: how many records its response can have at most, computed before it runs. A record (anything
 * with an id) costs 1. A connection costs its page size (30 by default) times the cost of a record in it, at least the
 * page size, unless only `totalCount` is selected. A list with an entry for each entry of an argument has as many
 * entries, any other list counts as 30; entries without records cost nothing. A field may declare its own cost
 * (`counts`), also one of a JSON text; bytes cost 100.
 * `groups(first: 10) { nodes { logicalNumbers(first: 20) { nodes { number } } } }` costs 10 + 10 × 20 = 210.
 *
 * Searches are collected apart: lists with filters, counts and summaries may read many rows to find few. Fields declare
 * them by a function of their arguments (`searches`), and count once for all parents, whose rows are read together.
 */
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  GraphQLError,
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
  type VariableDefinitionNode,
} from 'graphql';

import type { Search } from '../../database/list/request-class.js';
import { declaredOf, type Declarations, type Searches, type Selected } from '../schema/declared.js';
import { DEFAULT_FIRST } from '../schema/page.js';
import { Base64 } from '../schema/scalars.js';
import { operationRefused } from './limits.js';
import { fragmentsOf, spreadFragment, type Fragments } from './structure.js';

export const CONTENT_COST = 100;

export type Variables = Readonly<Record<string, unknown>>;

export interface Cost {
  readonly nodes: number;
  readonly searches: readonly Search[];
  /** True if it reads a list of records that may be large, or records without a page. */
  readonly isLarge: boolean;
  /** True if cost and searches are the same for all variables. */
  readonly fixed: boolean;
}

/** Throws `OperationRefused` for a filter beyond a limit. `document` is valid and contains `operation`. */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Cost {
  const root = schema.getRootType(operation.operation);
  if (root == null) return { nodes: 0, searches: [], isLarge: false, fixed: true };
  const meter = new Meter(schema, document, operation, variables);
  const nodes = meter.selections(operation.selectionSet, root, null);
  return { nodes, searches: meter.searches, isLarge: meter.isLarge, fixed: meter.fixed };
}

class Meter {
  fixed = true;
  isLarge = false;
  readonly searches: Search[] = [];
  readonly #fragments: Fragments;
  readonly #definitions: ReadonlyMap<string, VariableDefinitionNode>;
  readonly #searchesOfNodes = new Map<FieldNode, readonly (Search | null)[]>();
  /** Null for invalid variables; undefined until they are needed. */
  #coerced: Variables | null | undefined;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly operation: OperationDefinitionNode,
    private readonly variables: Variables,
  ) {
    this.#fragments = fragmentsOf(document);
    this.#definitions = new Map(
      operation.variableDefinitions?.map((definition) => [definition.variable.name.value, definition]),
    );
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
    this.isLarge ||= parent !== this.schema.getMutationType() && mayBeLarge(field);
    const { selectionSet: set } = node;
    const base = ownCost(field, node);
    if (set === undefined) {
      this.#addSearches(field, node, { page: false, total: false });
      return base;
    }
    const selected = {
      page: isConnection(type) && this.#selects(set, (name) => !['totalCount', '__typename'].includes(name)),
      total: isConnection(type) && this.#selects(set, (name) => name === 'totalCount'),
    };
    this.#addSearches(field, node, selected);
    if (isConnection(type)) {
      const each = this.selections(set, type, null);
      return base + this.#pageSize(node) * (selected.page ? Math.max(each, 1) : each);
    }
    const size = base > 0 ? null : (this.#givenSize(node) ?? inherited);
    const times =
      isListType(getNullableType(field.type)) && !isConnection(parent) ? (size ?? DEFAULT_FIRST) : 1;
    return base + times * ((hasId(type) ? 1 : 0) + this.selections(set, type, size));
  }

  /** True if a selection set, fragments expanded, has a field of such a name. */
  #selects(set: SelectionSetNode, isMeant: (name: string) => boolean): boolean {
    return set.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return isMeant(selection.name.value);
      const fragment = spreadFragment(this.#fragments, selection);
      return fragment !== undefined && this.#selects(fragment.selectionSet, isMeant);
    });
  }

  #addSearches(field: GraphQLField<unknown, unknown>, node: FieldNode, selected: Selected): void {
    const found = this.#searchesOfNodes.get(node) ?? this.#searchesOf(field, node, selected);
    this.#searchesOfNodes.set(node, found);
    for (const search of found) if (search !== null) this.searches.push(search);
  }

  #searchesOf(field: GraphQLField<unknown, unknown>, node: FieldNode, selected: Selected) {
    const { searches } = field.extensions as { readonly searches?: Searches };
    if (searches === undefined) return [];
    // A cursor does not change the searches.
    const given = node.arguments?.filter(({ name }) => !['after', 'before'].includes(name.value));
    if (given?.some(({ value }) => hasVariable(value)) === true) this.fixed = false;
    const variables = this.#coercedVariables();
    try {
      if (variables !== null) return searches(getArgumentValues(field, node, variables), selected);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      const { code, ...details } = error.extensions;
      if (details.limit !== undefined) throw operationRefused(String(code), error.message, details);
    }
    // Execution refuses invalid variables, and the resolver reports invalid arguments instead of reading.
    this.fixed = false;
    return [];
  }

  #coercedVariables(): Variables | null {
    if (this.#coerced === undefined) {
      const definitions = this.operation.variableDefinitions ?? [];
      const options = { maxErrors: 1 };
      this.#coerced = getVariableValues(this.schema, definitions, this.variables, options).coerced ?? null;
    }
    return this.#coerced;
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
      this.#isLeaf(value) ? [] : lengthsIn(this.#value(value), 1),
    );
    return lengths.length === 0 ? undefined : Math.max(...lengths);
  }

  /** True if a value is a variable that contains no list, by its type. */
  #isLeaf(value: ValueNode): boolean {
    if (value.kind !== Kind.VARIABLE) return false;
    const type = this.#definitions.get(value.name.value)?.type;
    const inner = type?.kind === Kind.NON_NULL_TYPE ? type.type : type;
    return inner?.kind === Kind.NAMED_TYPE && LEAVES.has(inner.name.value);
  }

  /** Value of a variable. As in execution, a default applies to an absent variable, not to null. */
  #variable(name: string): unknown {
    const given = Object.hasOwn(this.variables, name) ? this.variables[name] : undefined;
    return given === undefined ? this.#value(this.#definitions.get(name)?.defaultValue) : given;
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

/** Types of variables that can be a page size, but no list or object. */
const LEAVES: ReadonlySet<string> = new Set(['Boolean', 'Float', 'ID', 'Int', 'String']);

/** True for a list of records that may be large, and for a field that finds many things by itself. */
function mayBeLarge(field: GraphQLField<unknown, unknown>): boolean {
  const declared = declaredOf(field);
  if (declared !== null) {
    const list = 'children' in declared ? declared.children.list : 'list' in declared ? declared.list : null;
    return list?.isLarge === true && declared.kind !== 'one' && declared.kind !== 'find';
  }
  const { searches }: Declarations = field.extensions;
  const isMany = isListType(getNullableType(field.type)) || getNamedType(field.type).name === 'JSON';
  return isMany || searches !== undefined;
}

function ownCost({ extensions }: GraphQLField<unknown, unknown>, node: FieldNode): number {
  const { counts = 0, countsWhere: where }: Declarations = extensions;
  return where === undefined || node.arguments?.some(({ name }) => name.value === where) === true
    ? counts
    : 0;
}

export function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => hasVariable(field.value));
}

function lengthsIn(value: unknown, levels: number): number[] {
  if (Array.isArray(value)) return [value.length];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.values(value).flatMap((inner) => lengthsIn(inner, levels - 1));
}

function isConnection(type: GraphQLNamedType): boolean {
  return isObjectType(type) && type.name.endsWith('Connection') && 'pageInfo' in type.getFields();
}

const hasId = (type: GraphQLNamedType): boolean =>
  (isObjectType(type) || isInterfaceType(type)) && 'id' in type.getFields();
