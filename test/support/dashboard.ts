import { expect } from 'vitest';

import { type Fields, type Member, type TestServer, withoutSightings } from './server.js';

export interface UserErrorShape {
  readonly message: string;
  readonly path: readonly string[];
  readonly code: string;
}

export interface Page<T> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

/** A list with the places at which it goes on. */
export interface Connection<T> extends Page<T> {
  readonly pageInfo: Readonly<Record<'hasNextPage' | 'hasPreviousPage', boolean>> &
    Readonly<Record<'startCursor' | 'endCursor', string | null>>;
}

/** Runs an operation that must succeed; resolves to its data. */
export async function answered<Data = Fields>(
  member: Pick<Member, 'graphql'>,
  query: string,
  variables?: Fields,
): Promise<Data> {
  const { status, body, text } = await member.graphql<Data>(query, variables);
  expect({ status, errors: body.errors }, text).toEqual({ status: 200, errors: undefined });
  return body.data;
}

/** Values of a field in the list of a type, for example of `name` in `apps`; the list must fit on one page. */
export async function listed(
  member: Pick<Member, 'graphql'>,
  type: string,
  field: string,
  variables: Fields | (() => Fields),
  selection = '',
): Promise<unknown[]> {
  const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}s`;
  const query = `query ($filter: ${type}Filter, $orderBy: ${type}Order) {
    list: ${name}(filter: $filter, orderBy: $orderBy) { totalCount nodes { ${field} ${selection} } } }`;
  const given = typeof variables === 'function' ? variables() : variables;
  const { list } = await answered<{ list: Page<Fields> }>(member, query, given);
  expect(list.totalCount).toBe(list.nodes.length);
  return list.nodes.map((node) => node[field]);
}

/** Runs a mutation of one field; resolves to the payload of that field. */
export async function changed<Payload = Fields & { readonly userErrors: readonly UserErrorShape[] }>(
  member: Pick<Member, 'graphql'>,
  mutation: string,
  variables?: Fields,
): Promise<Payload> {
  const data = await answered<Record<string, Payload>>(member, mutation, variables);
  const [payload] = Object.values(data);
  if (payload === undefined) throw new Error('The mutation returned no payload');
  return payload;
}

/** Runs an operation that must fail with one error; resolves to its message and code. */
export async function refused(
  member: Pick<Member, 'graphql'>,
  query: string,
  variables?: Fields,
): Promise<{ readonly message: string; readonly code: string }> {
  const { body, text } = await member.graphql(query, variables);
  expect(body.errors, text).toHaveLength(1);
  const [error] = body.errors ?? [];
  return { message: error?.message ?? '', code: error?.extensions.code ?? '' };
}

/** The global id of a record: `nodeId('Group', 7)` is the Base64url of `Group:7`. */
export function nodeId(typeName: string, databaseId: number): string {
  return Buffer.from(`${typeName}:${databaseId}`, 'latin1').toString('base64url');
}

/** Data and SQL statements of an operation that must succeed, on its second run, when all caches are filled. */
export async function measured(
  server: TestServer,
  member: Pick<Member, 'graphql'>,
  query: string,
  variables?: Fields,
): Promise<{ readonly result: Fields; readonly statements: readonly string[] }> {
  // Lets the cached token expire now, so that it does not expire between the two runs.
  server.clock.advance(2_001);
  await answered(member, query, variables);
  const { result, statements } = await server.statements(() => answered(member, query, variables));
  return { result, statements: withoutSightings(statements) };
}

export const statementsFor = async (...operation: Parameters<typeof measured>): Promise<readonly string[]> =>
  (await measured(...operation)).statements;
