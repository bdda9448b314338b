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
  query FindGroups($text: String!) {
    groups(first: 10, filter: { name: { contains: $text } }) {
      nodes { id name }
    }
  }
`);

const FIND_APP_VERSIONS = graphql(`
  query FindAppVersions($text: String!) {
    apps(first: 5, filter: { name: { contains: $text } }) {
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
  query FindApps($text: String!) {
    apps(first: 10, filter: { name: { contains: $text } }) {
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
  query FindFiles($text: String!) {
    files(first: 10, filter: { name: { contains: $text } }) {
      nodes { id name }
    }
  }
`);

/** Logical numbers that begin with the text. */
export async function findLogicalNumbers(text: string): Promise<readonly Reference[]> {
  const { logicalNumbers } = await query(FIND_LOGICAL_NUMBERS, { text });
  return logicalNumbers.nodes.map(({ id, number }) => ({ id, name: number }));
}

/** Groups whose names contain the text. */
export async function findGroups(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_GROUPS, { text })).groups.nodes;
}

/** Apps whose names contain the text. */
export async function findApps(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_APPS, { text })).apps.nodes;
}

/** The newest versions of apps whose names contain the text, such as "Pay 1.2". */
export async function findAppVersions(text: string): Promise<readonly Reference[]> {
  const { apps } = await query(FIND_APP_VERSIONS, { text });
  return apps.nodes.flatMap(({ name, versions }) =>
    versions.nodes.map(({ id, number }) => ({ id, name: `${name} ${number}` })),
  );
}

/** Files whose names contain the text. */
export async function findFiles(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_FILES, { text })).files.nodes;
}

/** Members whose e-mail addresses contain the text; none for people who are not administrators. */
export async function findMembers(text: string): Promise<readonly Reference[]> {
  return (await query(FIND_MEMBERS, { text })).users?.nodes ?? [];
}
