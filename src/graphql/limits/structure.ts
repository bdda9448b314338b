import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { beyondLimit, LIMITS, operationRefused } from './limits.js';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

/** The fragment of a spread, or the inline fragment itself; undefined if the document has none. */
export function spreadFragment(
  fragments: Fragments,
  selection: FragmentSpreadNode | InlineFragmentNode,
): FragmentDefinitionNode | InlineFragmentNode | undefined {
  return selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
}

interface Extent {
  readonly depth: number;
  readonly aliases: number;
  readonly selections: number;
  /** Fields and fragments of the set itself, with those of its fragments; each fragment once. */
  readonly own: ReadonlySet<SelectionNode>;
}

const NOTHING: Extent = { depth: 0, aliases: 0, selections: 0, own: new Set() };

/** Nesting of selection sets, fragments and inline fragments included. */
const MAX_NESTING = 4 * LIMITS.depth;

/**
 * Checks limits before validation, which can take time quadratic in the length. Throws `OperationRefused`. One of
 * `sensitiveMutations` may occur, so that aliases cannot multiply them.
 */
export function checkStructure(document: DocumentNode, sensitiveMutations: readonly string[]): void {
  new Structure(document, sensitiveMutations).check();
}

class Structure {
  readonly #fragments: Fragments;
  readonly #extents = new Map<string, Extent | 'being measured'>();
  #selections = 0;

  constructor(
    private readonly document: DocumentNode,
    private readonly sensitiveMutations: readonly string[],
  ) {
    this.#fragments = fragmentsOf(document);
  }

  check(): void {
    for (const name of Object.keys(this.#fragments)) this.#measureFragment(name, 0);
    for (const definition of this.document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) this.#checkOperation(definition);
    }
  }

  #checkOperation(operation: OperationDefinitionNode): void {
    const { depth, aliases, selections, own } = this.#measure(operation.selectionSet, 0);
    if (depth > LIMITS.depth) throw beyondLimit('depth', depth, 'The operation is nested too deeply');
    if (aliases > LIMITS.aliases) throw beyondLimit('aliases', aliases, 'The operation has too many aliases');
    if (selections > LIMITS.expandedSelections) {
      throw beyondLimit('expandedSelections', selections, 'The operation with its fragments is too long');
    }
    const roots = [...own].filter((selection) => selection.kind === Kind.FIELD);
    if (roots.length > LIMITS.rootFields) {
      throw beyondLimit('rootFields', roots.length, 'The operation has too many root fields');
    }
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) requireUnconditional(own);
    if (operation.operation !== OperationTypeNode.MUTATION) return;
    const sensitive = roots.filter((field) => this.sensitiveMutations.includes(field.name.value)).length;
    if (sensitive > LIMITS.sensitiveMutations) {
      throw beyondLimit(
        'sensitiveMutations',
        sensitive,
        'The operation has too many mutations that sign in, or show or revoke a secret',
      );
    }
  }

  #measure(set: SelectionSetNode, nesting: number): Extent {
    if (nesting > MAX_NESTING) throw beyondLimit('depth', nesting, 'The operation is nested too deeply');
    let [depth, aliases, selections] = [0, 0, 0];
    const own = new Set(set.selections);
    for (const selection of set.selections) {
      this.#selections += 1;
      if (this.#selections > LIMITS.selections) {
        throw beyondLimit('selections', this.#selections, 'The document has too many fields');
      }
      const isField = selection.kind === Kind.FIELD;
      const inner = this.#inner(selection, nesting);
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && isRenamed(selection) ? 1 : 0);
      selections += inner.selections + 1;
      if (!isField) for (const each of inner.own) own.add(each);
    }
    return { depth, aliases, selections, own };
  }

  #inner(selection: SelectionNode, nesting: number): Extent {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#measureFragment(selection.name.value, nesting);
    // Introspection is closed outside development, and validation limits its depth.
    if (selection.selectionSet === undefined || isIntrospection(selection)) return NOTHING;
    return this.#measure(selection.selectionSet, nesting + 1);
  }

  #measureFragment(name: string, nesting: number): Extent {
    const known = this.#extents.get(name);
    if (known === 'being measured') return NOTHING;
    if (known !== undefined) return known;
    const fragment = this.#fragments[name];
    if (fragment === undefined) return NOTHING;
    this.#extents.set(name, 'being measured');
    const extent = this.#measure(fragment.selectionSet, nesting + 1);
    this.#extents.set(name, extent);
    return extent;
  }
}

function isRenamed(field: FieldNode): boolean {
  return field.alias !== undefined && field.alias.value !== field.name.value;
}

function isIntrospection(selection: SelectionNode): boolean {
  return selection.kind === Kind.FIELD && selection.name.value.startsWith('__');
}

/** Refuses `@skip` and `@include` on a subscription's field: graphql-js cannot start without it. */
function requireUnconditional(selected: ReadonlySet<SelectionNode>): void {
  for (const { directives } of selected) {
    const name = directives?.find((directive) => ['skip', 'include'].includes(directive.name.value))?.name;
    if (name === undefined) continue;
    const message = `The field of a subscription cannot depend on @${name.value}.`;
    throw operationRefused('GRAPHQL_VALIDATION_FAILED', message);
  }
}
