import {
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

import { fragmentsOf, spreadFragment, type Fragments } from '../limits/structure.js';
import type { Executable } from './long-input.js';

/**
 * The errors of a response, without those below a value that another error has made null. graphql-js answers while
 * the fields below such a value still run, so whether their errors are in the list is a matter of time.
 */
export function errorsShown(
  { schema, document, operation }: Executable,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  if (errors.length < 2) return [...errors];
  const types = typesOfFields(schema, document);
  const fragments = fragmentsOf(document);

  /** How many keys of the path lead to the value that is null: the nearest one that may be. */
  function nullAt(path: NonNullable<GraphQLError['path']>): number {
    let selections: readonly SelectionSetNode[] = [operation.selectionSet];
    let type: GraphQLOutputType | undefined;
    let length = 0;
    for (const [index, key] of path.entries()) {
      if (typeof key === 'number') {
        const list = isNonNullType(type) ? (type.ofType as GraphQLOutputType) : type;
        type = isListType(list) ? (list.ofType as GraphQLOutputType) : undefined;
      } else {
        const nodes = selections.flatMap((each) => fieldsNamed(key, each, fragments));
        type = nodes[0] && types.get(nodes[0]);
        selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      }
      if (!isNonNullType(type)) length = index + 1;
    }
    return length;
  }

  const nulled = errors.map(({ path = [] }) => path.slice(0, nullAt(path)));
  return errors.filter((_error, own) => {
    const path = nulled[own] ?? [];
    return !nulled.some(
      (other) => other.length < path.length && other.every((key, index) => key === path[index]),
    );
  });
}

function typesOfFields(
  schema: GraphQLSchema,
  document: DocumentNode,
): ReadonlyMap<FieldNode, GraphQLOutputType> {
  const types = new Map<FieldNode, GraphQLOutputType>();
  const typeInfo = new TypeInfo(schema);
  const Field = (node: FieldNode): void => {
    const type = typeInfo.getType();
    if (type != null) types.set(node, type);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Field }));
  return types;
}

/** Fields with a name in the response. Validation has made sure that they all have types of one shape. */
function fieldsNamed(key: string, { selections }: SelectionSetNode, fragments: Fragments): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind !== Kind.FIELD) {
      const fragment = spreadFragment(fragments, selection);
      return fragment === undefined ? [] : fieldsNamed(key, fragment.selectionSet, fragments);
    }
    return (selection.alias ?? selection.name).value === key ? selection : [];
  });
}
