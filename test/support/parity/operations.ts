import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql';

import { answered, type UserErrorShape } from '../dashboard.js';
import type { Fields, Member } from '../server.js';
import { schema, selectionOf } from './rest-spelling.js';

/** The payload of a mutation: of the fields below, those that it has. */
export interface Payload {
  readonly record?: Fields | null;
  readonly deletedId?: string | null;
  readonly userErrors: readonly UserErrorShape[];
}

type Caller = Pick<Member, 'graphql'>;

/** `AppVersion` as `appVersion`. */
const fieldName = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** The document of a mutation, generated from the schema: takes all its arguments, selects all that REST shows. */
function mutationDocument(name: string): string {
  const mutation = schema.getMutationType()?.getFields()[name];
  const payload = mutation && getNamedType(mutation.type);
  if (!isObjectType(payload)) throw new Error(`There is no mutation ${name}`);
  // REST shows warnings in a header.
  const shown = Object.values(payload.getFields()).filter((field) => field.name !== 'warnings');
  const selected = shown.map((field) => {
    if (field.name === 'userErrors') return 'userErrors { code path message }';
    const type = getNamedType(field.type);
    if (!isObjectType(type)) return field.name;
    const isList = isListType(getNullableType(field.type));
    return isList ? `${field.name} { __typename }` : `record: ${field.name} ${selectionOf(type.name)}`;
  });
  const variables = mutation?.args.map(({ name: argument, type }) => `$${argument}: ${String(type)}`) ?? [];
  const passed = mutation?.args.map(({ name: argument }) => `${argument}: $${argument}`) ?? [];
  return `mutation(${variables.join(', ')}) { payload: ${name}(${passed.join(', ')}) { ${selected.join(' ')} } }`;
}

/** Carries out a mutation; it must succeed or have user errors. */
export async function mutate(caller: Caller, name: string, variables: Fields): Promise<Payload> {
  return (await answered<{ payload: Payload }>(caller, mutationDocument(name), variables)).payload;
}

export const create = (caller: Caller, type: string, input: Fields): Promise<Payload> =>
  mutate(caller, `${fieldName(type)}Create`, { input });

export const update = (caller: Caller, type: string, id: string, input: Fields): Promise<Payload> =>
  mutate(caller, `${fieldName(type)}Update`, { id, input });

export const remove = (caller: Caller, type: string, id: string): Promise<Payload> =>
  mutate(caller, `${fieldName(type)}Delete`, { id });

/** Reads one record by its global id; null if it does not exist. */
export async function read(caller: Caller, type: string, id: string): Promise<Fields | null> {
  const query = `query($id: ID!) { node(id: $id) { ... on ${type} ${selectionOf(type)} } }`;
  return (await answered<{ node: Fields | null }>(caller, query, { id })).node;
}

/** Reads the first 100 records of a type. */
export async function list(caller: Caller, type: string): Promise<Fields[]> {
  const query = `{ list: ${fieldName(type)}s(first: 100) { nodes ${selectionOf(type)} } }`;
  return (await answered<{ list: { nodes: Fields[] } }>(caller, query)).list.nodes;
}
