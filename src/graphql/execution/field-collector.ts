import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** A field as it is asked for, by all its nodes together. */
export interface Asked {
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
}

/** Which fields are asked of a type: fragments written out, conditions decided. */
export class FieldCollector {
  readonly fragments: Record<string, FragmentDefinitionNode> = {};

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments[definition.name.value] = definition;
    }
  }

  /** Of all the sets together, in the order in which they first appear. */
  of(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): readonly Asked[] {
    const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
    for (const set of sets) this.#gather(type, set, fields, new Set());
    // As a key of a plain object it would mean something else.
    if (fields.has('__proto__')) throw new Error('A name with a meaning');
    return [...fields].map(([key, nodes]) => ({ key, nodes }));
  }

  #gather(
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
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.fragments[selection.name.value] : selection;
      if (fragment !== undefined && this.#applies(fragment.typeCondition?.name.value, type)) {
        this.#gather(type, fragment.selectionSet, fields, seen);
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
