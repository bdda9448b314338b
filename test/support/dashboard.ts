import { expect } from 'vitest';

import type { Fields } from './client.js';
import type { Member, TestServer } from './server.js';

export interface UserErrorShape {
  readonly message: string;
  readonly path: readonly string[];
  readonly code: string;
}

export interface Page<T> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

/** What an operation answers that must succeed. */
export async function answered<Data = Fields>(
  member: Pick<Member, 'graphql'>,
  query: string,
  variables?: Fields,
): Promise<Data> {
  const { status, body, text } = await member.graphql<Data>(query, variables);
  expect({ status, errors: body.errors }, text).toEqual({ status: 200, errors: undefined });
  return body.data;
}

/** What a mutation answers: the payload of its only field. */
export async function changed<Payload = Fields & { readonly userErrors: readonly UserErrorShape[] }>(
  member: Pick<Member, 'graphql'>,
  mutation: string,
  variables?: Fields,
): Promise<Payload> {
  const data = await answered<Record<string, Payload>>(member, mutation, variables);
  const [payload] = Object.values(data);
  if (payload === undefined) throw new Error('The mutation answered nothing');
  return payload;
}

/** The message and the code of an operation's only error. */
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

/** The id that GraphQL gives to the record that REST calls by a number. */
export function nodeId(typeName: string, databaseId: number): string {
  return Buffer.from(`${typeName}:${databaseId}`, 'latin1').toString('base64url');
}

/** Statements of an operation that must succeed, once what is remembered is remembered. */
export async function statementsFor(
  server: TestServer,
  member: Member,
  query: string,
  variables?: Fields,
): Promise<readonly string[]> {
  // Looks the token up again now, so that its time does not end in between.
  server.clock.advance(2_001);
  await answered(member, query, variables);
  const { statements } = await server.statements(() => answered(member, query, variables));
  return statements;
}
