import { graphql } from '../api/graphql';
import { query } from '../api/query';
import type { Reference } from '../ui/reference-input';

const FIND_LOGICAL_NUMBERS = graphql(`
  query FindLogicalNumbers($text: String!) {
    logicalNumbers(first: 10, filter: { number: { startsWith: $text } }) {
      nodes { id number }
    }
  }
`);

const FIND_GROUPS = graphql(`
  query FindGroups($filter: GroupFilter!) {
    groups(first: 10, filter: $filter) {
      nodes { id name }
    }
  }
`);

const FIND_APP_VERSIONS = graphql(`
  query FindAppVersions($filter: AppFilter!) {
    apps(first: 5, filter: $filter) {
      nodes {
        name
        versions(first: 5, orderBy: { field: CREATED_AT, direction: DESC }) {
          nodes { id number }
        }
      }
    }
  }
`);

const FIND_APPS = graphql(`
  query FindApps($filter: AppFilter!) {
    apps(first: 10, filter: $filter) {
      nodes { id name }
    }
  }
`);

const FIND_MEMBERS = graphql(`
  query FindMembers($text: String!) {
    users(first: 10, filter: { email: { contains: $text } }) {
      nodes { id name }
    }
  }
`);

const FIND_FILES = graphql(`
  query FindFiles($filter: FileFilter!) {
    files(first: 10, filter: $filter) {
      nodes { id name }
    }
  }
`);

/** Condition that a field contains the text: as typed, in capitals or with a capital first, which are not the same to the API. */
export function containing<Field extends string>(field: Field, text: string) {
  const forms = new Set([text, text.toUpperCase(), text.slice(0, 1).toUpperCase() + text.slice(1)]);
  return {
    or: [...forms].map((contains) => ({ [field]: { contains } }) as Record<Field, { contains: string }>),
  };
}

/** Logical numbers that begin with the text. */
export async function findLogicalNumbers(text: string): Promise<readonly Reference[]> {
  const { logicalNumbers } = await query(FIND_LOGICAL_NUMBERS, { text });
  return logicalNumbers.nodes.map(({ id, number }) => ({ id, name: number }));
}

/** Groups whose names contain the text. */
export async function findGroups(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_GROUPS, { filter: containing('name', text) })).groups.nodes;
}

/** Apps whose names contain the text. */
export async function findApps(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_APPS, { filter: containing('name', text) })).apps.nodes;
}

/** The newest versions of apps whose names contain the text, such as "Pay 1.2". */
export async function findAppVersions(text: string): Promise<readonly Reference[]> {
  const { apps } = await query(FIND_APP_VERSIONS, { filter: containing('name', text) });
  return apps.nodes.flatMap(({ name, versions }) =>
    versions.nodes.map(({ id, number }) => ({ id, name: `${name} ${number}` })),
  );
}

/** Files whose names contain the text. */
export async function findFiles(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_FILES, { filter: containing('name', text) })).files.nodes;
}

/** Members whose e-mail addresses contain the text; none for people who are not administrators. */
export async function findMembers(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_MEMBERS, { text })).users?.nodes ?? [];
}
