import { graphql, useQuery } from '../api';
import { nameOf } from './link';

const NAMES = graphql(`
  query RecordNames($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on App { name }
      ... on AppVersion { number app { name } }
      ... on Device { serialNumber }
      ... on File { name }
      ... on Group { name }
      ... on LogicalNumber { number }
      ... on Notification { content }
      ... on User { name }
    }
  }
`);

/** Ids in one request. */
const MAX_IDS = 100;

/** Names of records by their global ids, such as "Pay 1.2" of an app version; records that are gone have none. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const asked = [...new Set(ids)].toSorted().slice(0, MAX_IDS);
  const { data } = useQuery(NAMES, asked.length === 0 ? null : { ids: asked });
  const names = new Map<string, string>();
  for (const node of data?.nodes ?? []) {
    // The action stands before the text: "SHOW_MESSAGE|Closed".
    if (node && 'content' in node) names.set(node.id, node.content.slice(node.content.indexOf('|') + 1));
    if (node && ('name' in node || 'number' in node || 'serialNumber' in node)) {
      names.set(node.id, nameOf(node));
    }
  }
  return names;
}
