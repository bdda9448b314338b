import { graphql, query } from '../api';
import type { Document } from '../api/query';
import type { Reference } from '../ui/reference-input';
import { nameOf, type Named } from './link';

const FIND_LOGICAL_NUMBERS = graphql(`
  query FindLogicalNumbers($text: String!) {
    logicalNumbers(first: 10, filter: { number: { startsWith: $text } }) { nodes { id number } }
  }
`);

const FIND_GROUPS = graphql(`
  query FindGroups($filter: GroupFilter!) {
    groups(first: 10, filter: $filter) { nodes { id name } }
  }
`);

const FIND_APP_VERSIONS = graphql(`
  query FindAppVersions($filter: AppFilter!) {
    apps(first: 5, filter: $filter) {
      nodes {
        name
        versions(first: 5, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { id number } }
      }
    }
  }
`);

const FIND_APPS = graphql(`
  query FindApps($filter: AppFilter!) {
    apps(first: 10, filter: $filter) { nodes { id name } }
  }
`);

const FIND_MEMBERS = graphql(`
  query FindMembers($text: String!) {
    users(first: 10, filter: { email: { contains: $text } }) { nodes { id name } }
  }
`);

const FIND_FILES = graphql(`
  query FindFiles($filter: FileFilter!) {
    files(first: 10, filter: $filter) { nodes { id name } }
  }
`);

/** Condition that a field contains the text: as typed, in capitals or with a capital first, which are not the same to the API. */
function containing<Field extends string>(field: Field, text: string) {
  const forms = new Set([text, text.toUpperCase(), text.slice(0, 1).toUpperCase() + text.slice(1)]);
  return {
    or: [...forms].map((contains) => ({ [field]: { contains } }) as Record<Field, { contains: string }>),
  };
}

/** Asks for records by a text. */
const finder =
  <Data, Variables extends object>(
    document: Document<Data, Variables>,
    variables: (text: string) => Variables,
    recordsOf: (data: Data) => readonly Named[],
  ) =>
  async (text: string): Promise<readonly Reference[]> =>
    recordsOf(await query(document, variables(text))).map((record) => ({
      id: record.id,
      name: nameOf(record),
    }));

const asIs = (text: string) => ({ text });
const byName = (text: string) => ({ filter: containing('name', text) });

/** Logical numbers that begin with the text. */
export const findLogicalNumbers = finder(
  FIND_LOGICAL_NUMBERS,
  asIs,
  ({ logicalNumbers }) => logicalNumbers.nodes,
);

/** Groups whose names contain the text. */
export const findGroups = finder(FIND_GROUPS, byName, ({ groups }) => groups.nodes);

/** Apps whose names contain the text. */
export const findApps = finder(FIND_APPS, byName, ({ apps }) => apps.nodes);

/** The newest versions of apps whose names contain the text, such as "Pay 1.2". */
export const findAppVersions = finder(FIND_APP_VERSIONS, byName, ({ apps }) =>
  apps.nodes.flatMap((app) => app.versions.nodes.map((version) => ({ ...version, app }))),
);

/** Files whose names contain the text. */
export const findFiles = finder(FIND_FILES, byName, ({ files }) => files.nodes);

/** Members whose e-mail addresses contain the text; none for people who are not administrators. */
export const findMembers = finder(FIND_MEMBERS, asIs, ({ users }) => users?.nodes ?? []);
