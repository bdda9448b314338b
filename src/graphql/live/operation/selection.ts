import { Kind, visit, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { createHash } from 'node:crypto';

import type { OperationText } from '../../http/operation-text.js';

/**
 * Key of a subscription. Subscriptions have the same key if their events are equal for callers with the same
 * rights: it contains the operation and its variables, without the variable of `after`.
 */
export function selectionKey(
  document: DocumentNode,
  definition: OperationDefinitionNode,
  { query, operationName, variables }: OperationText,
): string {
  const cursor = cursorVariable(document, definition);
  const others = Object.entries(variables).filter(([name]) => name !== cursor);
  const text = JSON.stringify([query, operationName, others]);
  return createHash('sha256').update(text).digest('base64');
}

/** The name of the variable that is the argument `after` of the subscribed field, and nothing else. */
function cursorVariable(document: DocumentNode, { selectionSet }: OperationDefinitionNode): string | null {
  const [field] = selectionSet.selections;
  if (field?.kind !== Kind.FIELD) return null;
  const value = field.arguments?.find(({ name }) => name.value === 'after')?.value;
  if (value?.kind !== Kind.VARIABLE) return null;
  const name = value.name.value;
  let uses = 0;
  visit(document, {
    Variable: (node) => void (uses += node.name.value === name ? 1 : 0),
    VariableDefinition: ({ variable }) => void (uses -= variable.name.value === name ? 1 : 0),
  });
  return uses === 1 ? name : null;
}
