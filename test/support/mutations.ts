import { getNamedType, isCompositeType, isObjectType } from 'graphql';
import { expect } from 'vitest';

import { changed, type UserErrorShape } from './dashboard.js';
import { schema } from './parity/rest-spelling.js';
import type { Fields, Member } from './server.js';

type Caller = Pick<Member, 'graphql'>;

/** A mutation that takes all its arguments as variables; without a selection, it selects its user errors alone. */
export function mutationOf(name: string, selection = 'userErrors { code path message }'): string {
  const { args = [] } = schema.getMutationType()?.getFields()[name] ?? {};
  if (args.length === 0) return `mutation { ${name} { ${selection} } }`;
  const variables = args.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ');
  const passed = args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  return `mutation (${variables}) { ${name}(${passed}) { ${selection} } }`;
}

/** Runs a mutation, which must have no user errors; resolves to what is selected of its payload. */
export async function mutated<Payload = Fields>(
  member: Caller,
  name: string,
  variables: Fields,
  selection = '',
): Promise<Payload> {
  const query = mutationOf(name, `${selection} userErrors { code path message }`);
  const { userErrors, ...payload } = await changed<{ readonly userErrors: unknown }>(
    member,
    query,
    variables,
  );
  expect(userErrors, name).toEqual([]);
  return payload as Payload;
}

/** The fields of the payload of a mutation, without those of its records. */
function payloadOf(name: string): string {
  const type = schema.getMutationType()?.getFields()[name]?.type;
  const payload = type && getNamedType(type);
  if (!isObjectType(payload)) throw new Error(`There is no mutation ${name}`);
  const others = Object.values(payload.getFields()).filter(
    (field) => !/^(userErrors|warnings)$/.test(field.name),
  );
  return others
    .map((field) => (isCompositeType(getNamedType(field.type)) ? `${field.name} { __typename }` : field.name))
    .join(' ');
}

/**
 * Runs a mutation that must be refused: by user errors of one code, written with their paths as in
 * `INVALID input.name input.description`, of which the first has the message. The rest of the payload is null.
 */
export async function expectRefused(
  member: Caller,
  name: string,
  variables: Fields,
  refusal: string,
  message: string | RegExp = /./,
): Promise<void> {
  const query = mutationOf(name, `${payloadOf(name)} userErrors { code path message }`);
  const payload = await changed<Fields & { readonly userErrors: readonly UserErrorShape[] }>(
    member,
    query,
    variables,
  );
  const { userErrors, ...others } = payload;
  const codes = [...new Set(userErrors.map(({ code }) => code))];
  const paths = userErrors.filter(({ path }) => path.length > 0).map(({ path }) => path.join('.'));
  expect([...codes, ...paths].join(' '), JSON.stringify(payload)).toBe(refusal);
  expect(Object.values(others).filter((value) => value !== null)).toEqual([]);
  if (typeof message === 'string') expect(userErrors[0]?.message).toBe(message);
  else expect(userErrors[0]?.message).toMatch(message);
}
