import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  print,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { fragmentsOf, spreadFragment, type Fragments } from '../limits/structure.js';

/** A selected field: all nodes that select it under one name in the response. */
export interface CollectedField {
  /** Alias of the field, or its name. */
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
}

/** Collects the selected fields of a type: expands fragments, evaluates @skip and @include. */
export class FieldCollector {
  readonly fragments: Fragments;

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    this.fragments = fragmentsOf(document);
  }

  /** The fields of all selection sets together, in the order in which they first appear. */
  of(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly CollectedField[] {
    const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
    for (const set of sets) this.#collect(type, set, fields, new Set());
    return [...fields].map(([key, nodes]) => ({ key, nodes }));
  }

  #collect(
    type: GraphQLObjectType,
    set: SelectionSetNode,
    fields: Map<string, [FieldNode, ...FieldNode[]]>,
    seen: Set<string>,
  ): void {
    for (const selection of set.selections) {
      if (!this.#isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = fields.get(key);
        if (known === undefined) fields.set(key, [selection]);
        else known.push(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (seen.has(selection.name.value)) continue;
        seen.add(selection.name.value);
      }
      const fragment = spreadFragment(this.fragments, selection);
      if (fragment !== undefined && this.#applies(fragment.typeCondition?.name.value, type)) {
        this.#collect(type, fragment.selectionSet, fields, seen);
      }
    }
  }

  #isIncluded(selection: SelectionNode): boolean {
    if (selection.directives === undefined || selection.directives.length === 0) return true;
    const skip = getDirectiveValues(GraphQLSkipDirective, selection, this.variables);
    const include = getDirectiveValues(GraphQLIncludeDirective, selection, this.variables);
    return skip?.if !== true && include?.if !== false;
  }

  #applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const conditional = this.schema.getType(condition);
    return isAbstractType(conditional) && this.schema.isSubType(conditional, type);
  }
}

/** False if a relation or look-up is selected twice with the same arguments: the resolvers read it once. */
export function areDifferent(collected: readonly CollectedField[]): boolean {
  const relations = collected.filter(({ nodes: [node] }) => node.selectionSet !== undefined).map(keyOf);
  return new Set(relations).size === relations.length;
}

/** Key of a selection, for example `device (databaseId: 1)`. */
const keyOf = ({ nodes: [{ name, arguments: given = [] }] }: CollectedField): string =>
  `${name.value} (${given.map(print).join()})`;
