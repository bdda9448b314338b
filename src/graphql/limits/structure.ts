import {
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

import { beyondLimit, LIMITS, operationRefused, SENSITIVE_MUTATIONS } from './limits.js';

/** What a selection set comes to once its fragments are written out. */
interface Extent {
  readonly depth: number;
  readonly aliases: number;
  readonly selections: number;
}

const NOTHING: Extent = { depth: 0, aliases: 0, selections: 0 };

/** Selection sets within selection sets, fragments included: far more than the deepest operation needs. */
const MAX_NESTING = 4 * LIMITS.depth;

/**
 * Refuses a document by its shape alone, in one walk: before validation, some rules of which take time that
 * grows with the square of what is written. Throws a `Refusal`. Cycles of fragments are left to validation.
 */
export function checkStructure(document: DocumentNode): void {
  new Structure(document).check();
}

class Structure {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #extents = new Map<string, Extent | 'being measured'>();
  #written = 0;

  constructor(private readonly document: DocumentNode) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
  }

  check(): void {
    for (const name of this.#fragments.keys()) this.#measureFragment(name, 0);
    for (const definition of this.document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) this.#checkOperation(definition);
    }
  }

  #checkOperation(operation: OperationDefinitionNode): void {
    const { depth, aliases, selections } = this.#measure(operation.selectionSet, 0);
    if (depth > LIMITS.depth) throw beyondLimit('depth', depth, 'The operation is nested too deeply');
    if (aliases > LIMITS.aliases) throw beyondLimit('aliases', aliases, 'The operation has too many aliases');
    if (selections > LIMITS.expandedSelections) {
      throw beyondLimit('expandedSelections', selections, 'Its fragments make the operation too long');
    }
    const roots = rootFields(operation, this.#fragments);
    if (roots.length > LIMITS.rootFields) {
      throw beyondLimit('rootFields', roots.length, 'The operation has too many root fields');
    }
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) this.#checkUnconditional(operation);
    if (operation.operation !== OperationTypeNode.MUTATION) return;
    const sensitive = roots.filter((field) => SENSITIVE_MUTATIONS.includes(field.name.value)).length;
    if (sensitive > LIMITS.sensitiveMutations) {
      const names = SENSITIVE_MUTATIONS.join(' and ');
      throw beyondLimit('sensitiveMutations', sensitive, `There are too many of ${names} in one operation`);
    }
  }

  /** What is followed may depend on nothing: without its field, the library has nothing to begin with. */
  #checkUnconditional(operation: OperationDefinitionNode): void {
    for (const { directives } of rootSelections(operation, this.#fragments)) {
      const name = directives?.find((directive) => ['skip', 'include'].includes(directive.name.value))?.name;
      if (name === undefined) continue;
      const words = `The field of a subscription cannot depend on @${name.value}.`;
      throw operationRefused('GRAPHQL_VALIDATION_FAILED', words);
    }
  }

  #measure(set: SelectionSetNode, nesting: number): Extent {
    if (nesting > MAX_NESTING) throw beyondLimit('depth', nesting, 'The operation is nested too deeply');
    let [depth, aliases, selections] = [0, 0, 0];
    for (const selection of set.selections) {
      this.#written += 1;
      if (this.#written > LIMITS.selections) {
        throw beyondLimit('selections', this.#written, 'The document has too many fields');
      }
      const isField = selection.kind === Kind.FIELD;
      const inner = this.#inner(selection, nesting);
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      aliases += inner.aliases + (isField && isRenamed(selection) ? 1 : 0);
      selections += inner.selections + 1;
    }
    return { depth, aliases, selections };
  }

  #inner(selection: SelectionNode, nesting: number): Extent {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#measureFragment(selection.name.value, nesting);
    // The language's own fields are closed outside development, and validation has a rule for their depth.
    if (selection.selectionSet === undefined || isIntrospection(selection)) return NOTHING;
    return this.#measure(selection.selectionSet, nesting + 1);
  }

  #measureFragment(name: string, nesting: number): Extent {
    const known = this.#extents.get(name);
    if (known === 'being measured') return NOTHING;
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
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

/** The fields of the operation itself, those of its fragments among them; each fragment once. */
function rootFields(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  return rootSelections(operation, fragments).filter((selection) => selection.kind === Kind.FIELD);
}

/** The same with the fragments themselves. */
function rootSelections(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): SelectionNode[] {
  const found: SelectionNode[] = [];
  const seen = new Set<string>();
  const open: SelectionSetNode[] = [operation.selectionSet];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    for (const selection of set.selections) {
      found.push(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) open.push(selection.selectionSet);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      if (fragment !== undefined) open.push(fragment.selectionSet);
    }
  }
  return found;
}
