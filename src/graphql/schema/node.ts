import { Int, Field, ID, Info, InterfaceType, Root } from 'type-graphql';
import type { GraphQLResolveInfo } from 'graphql';

import { DomainError, invalid } from '../../platform/errors.js';
import { idFromText } from '../../platform/validate.js';

/** An id that says what it is of: opaque to clients. */
function globalId(typeName: string, id: number): string {
  return Buffer.from(`${typeName}:${id}`, 'latin1').toString('base64url');
}

/** What an id is of; undefined where it is none of ours. */
export function parseGlobalId(text: string): { readonly typeName: string; readonly id: number } | undefined {
  const [typeName = '', digits = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  const id = idFromText(digits);
  if (id === undefined || rest.length > 0 || globalId(typeName, id) !== text) return undefined;
  return { typeName, id };
}

/** The number in a global id of a type; `not_found` for what is none. */
export function idOf(typeName: string, text: string): number {
  const parsed = parseGlobalId(text);
  if (parsed?.typeName !== typeName) {
    throw new DomainError('not_found', `No such ${words(typeName)}.`, {
      fields: { id: [`No such ${words(typeName)}.`] },
    });
  }
  return parsed.id;
}

/** An input with the global ids in the named fields as numbers; null and absent stay what they are. */
export function withNumbers(
  input: object,
  typeNames: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const numbers: Record<string, unknown> = { ...input };
  for (const [field, typeName] of Object.entries(typeNames)) {
    const value = numbers[field];
    if (Array.isArray(value)) numbers[field] = value.map((text) => reference(field, typeName, text));
    else if (value != null) numbers[field] = reference(field, typeName, value);
  }
  return numbers;
}

function reference(field: string, typeName: string, text: unknown): number {
  const parsed = parseGlobalId(String(text));
  if (parsed?.typeName !== typeName)
    throw invalid(field, `must be the id of ${withArticle(words(typeName))}`);
  return parsed.id;
}

/** `LogicalNumber` as `logical number`. */
function words(typeName: string): string {
  return typeName.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}

function withArticle(noun: string): string {
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

interface Identified {
  readonly id: number;
}

@InterfaceType({
  description: 'Anything with an id of its own.',
  // What only gathers fields for others is no type of the schema.
  autoRegisterImplementations: false,
  resolveType: (value: { readonly __typename?: string }) => value.__typename,
})
export abstract class Node {
  // Under another name than the field's, since the record's own `id` would hide a method called so.
  @Field(() => ID, { name: 'id', description: 'Opaque id, unique over all types.' })
  globalId(@Root() root: Identified, @Info() info: GraphQLResolveInfo): string {
    return globalId(info.parentType.name, root.id);
  }

  @Field(() => Int, { description: 'The id of REST.' })
  databaseId(@Root() root: Identified): number {
    return root.id;
  }
}
