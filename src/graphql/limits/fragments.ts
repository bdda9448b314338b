import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
} from 'graphql';

/** The fragments of a document, by name. */
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
