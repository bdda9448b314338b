import { fragment, graphql, query, useQuery } from '../api';
import { listQuery } from '../api/documents';
import type { Document, Fragment } from '../api/query';
import { useTexts } from '../text';
import type { Reference } from '../ui/reference-input';
import { kindNames } from './history-values';
import { nameOf } from './link';

const NUMBER = fragment(`fragment FoundNumberRow on LogicalNumber { id number }`);
const GROUP = fragment(`fragment FoundGroupRow on Group { id name }`);
const APP = fragment(`fragment FoundAppRow on App { id name }`);
const FILE = fragment(`fragment FoundFileRow on File { id name }`);
const USER = fragment(`fragment FoundUserRow on User { id name }`);
const APP_WITH_VERSIONS = fragment(`
  fragment FoundVersionsRow on App {
    id name
    versions(first: 5, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { id number } }
  }
`);

/** Condition that a name contains the text: as typed, in capitals or with a capital first, which are not the same to the API. */
function byName(text: string): object {
  const forms = new Set([text, text.toUpperCase(), text.slice(0, 1).toUpperCase() + text.slice(1)]);
  return { or: [...forms].map((contains) => ({ name: { contains } })) };
}

type Found<Row> = Readonly<Record<string, { readonly nodes: readonly Row[] } | null>>;

/** Finds records by a text, which `filterOf` makes a filter of. */
const finder =
  <Row extends { readonly id: string }>(
    fragment: Fragment<Row>,
    filterOf: (text: string) => object,
    recordsOf: (row: Row) => readonly { readonly id: string }[] = (row) => [row],
  ) =>
  async (text: string): Promise<readonly Reference[]> => {
    const document = listQuery(fragment.toString()) as unknown as Document<Found<Row>, object>;
    const [list] = Object.values(await query(document, { first: 10, filter: filterOf(text), count: false }));
    return (list?.nodes ?? []).flatMap(recordsOf).map((record) => ({ id: record.id, name: nameOf(record) }));
  };

/** Logical numbers that begin with the text. */
export const findLogicalNumbers = finder(NUMBER, (text) => ({ number: { startsWith: text } }));

/** Groups whose names contain the text. */
export const findGroups = finder(GROUP, byName);

/** Apps whose names contain the text. */
export const findApps = finder(APP, byName);

/** The newest versions of apps whose names contain the text, such as "Pay 1.2". */
export const findAppVersions = finder(APP_WITH_VERSIONS, byName, (app) =>
  app.versions.nodes.map((version) => ({ ...version, app })),
);

/** Files whose names contain the text. */
export const findFiles = finder(FILE, byName);

/** Members whose e-mail addresses contain the text; none for people who are not administrators. */
export const findMembers = finder(USER, (text) => ({ email: { contains: text } }));

const SAVED = graphql(`query FindSavedFilters { savedFilters(kind: LOGICAL_NUMBER) { id name } }`);

/** Saved filters of logical numbers whose names contain the text. */
export const findSavedFilters = async (text: string): Promise<readonly Reference[]> => {
  const { savedFilters } = await query(SAVED, {});
  return savedFilters.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
};

const TAGS = graphql(`query FindTags($text: String) { tags(text: $text, first: 10) }`);

/** Tags that contain the text. */
export const findTags = async (text: string): Promise<readonly Reference[]> =>
  (await query(TAGS, { text })).tags.map((tag) => ({ id: tag, name: tag }));

const NAMES = graphql(`
  query RecordNames($ids: [ID!]!) {
    recordNames(ids: $ids) { id name }
    nodes(ids: $ids) {
      id
      ... on AlertRule { name }
      ... on App { name }
      ... on AppVersion { number app { name } }
      ... on Command { kind: action }
      ... on Device { serialNumber }
      ... on File { name }
      ... on Group { name }
      ... on Job { kind }
      ... on LogicalNumber { number }
      ... on Notification { content }
      ... on Rollout { name }
      ... on User { name }
      ... on Webhook { url }
    }
  }
`);

/** Ids in one request. */
const MAX_IDS = 100;

/** Names of records by their global ids, such as "Pay 1.2" of an app version: of deleted ones as the ledger knows them. */
export function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const asked = [...new Set(ids)].toSorted().slice(0, MAX_IDS);
  const { data } = useQuery(NAMES, asked.length === 0 ? null : { ids: asked });
  const kinds: Readonly<Record<string, string>> = useTexts(kindNames);
  const names = new Map((data?.recordNames ?? []).map(({ id, name }) => [id, name] as const));
  for (const node of data?.nodes ?? []) {
    const name = node ? (('kind' in node ? kinds[node.kind] : nameOf(node)) ?? '') : '';
    if (node && name !== '') names.set(node.id, name);
  }
  return names;
}
