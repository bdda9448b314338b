import { InterfaceType } from 'type-graphql';

import type { ReadWork } from '../../database/work.js';
import { errorAt, foundAt, invalid } from '../../platform/errors.js';
import { idFromText } from '../../platform/validate.js';
import * as g from './types.js';

export const ID = g.id('Global id: opaque, unique over all types.');
export const DATABASE_ID = g.int('Numeric id, as in REST. Unique within the type.');

export const Node = g.decoratedClass(
  InterfaceType('Node', {
    description: 'A record with an id that is unique over all types.',
    resolveType: (value: { readonly __typename?: string }) => value.__typename,
  }),
  { id: ID, databaseId: DATABASE_ID },
);

/** Global id of a record: base64url of its type and number, for example of `Device:17`. Opaque to clients. */
export function globalId(typeName: string, id: number): string {
  return Buffer.from(`${typeName}:${id}`, 'latin1').toString('base64url');
}

/** The type and number in a global id; undefined for any other text. */
export function parseGlobalId(text: string): { readonly typeName: string; readonly id: number } | undefined {
  const [typeName = '', digits = '', ...rest] = Buffer.from(text, 'base64url').toString('latin1').split(':');
  const id = idFromText(digits);
  if (id === undefined || rest.length > 0 || globalId(typeName, id) !== text) return undefined;
  return { typeName, id };
}

/** The number in a global id of a type; undefined for any other text. */
export function numberIn(typeName: string, text: string): number | undefined {
  const parsed = parseGlobalId(text);
  return parsed?.typeName === typeName ? parsed.id : undefined;
}

/** Like `numberIn`. Errors: `not_found` for any other text. */
export function idOf(typeName: string, text: string): number {
  const number = numberIn(typeName, text);
  if (number !== undefined) return number;
  throw errorAt('id', 'not_found', `No such ${words(typeName)}.`);
}

/** Look-up of the record whose global id is in an argument. Errors: `not_found` at the argument. */
export function recordAt<R>(
  argument: string,
  typeName: string,
  get: (work: ReadWork, id: number) => Promise<R>,
): (work: ReadWork, globalId: string) => Promise<R> {
  return (work, text) => foundAt(argument, () => get(work, numberIn(typeName, text) ?? 0));
}

/**
 * Replaces global ids by numbers: with `{ groupId: 'Group' }`, `groupId` is the id of a group. Errors: `invalid`, with
 * `within` before the name of the field.
 */
export function withNumbers(
  input: object,
  references: Readonly<Record<string, string>>,
  within = '',
): Readonly<Record<string, unknown>> {
  const numbers: Record<string, unknown> = { ...input };
  for (const [field, typeName] of Object.entries(references)) {
    const value = numbers[field];
    if (Array.isArray(value))
      numbers[field] = value.map((text) => reference(`${within}${field}`, typeName, text));
    else if (value != null) numbers[field] = reference(`${within}${field}`, typeName, value);
  }
  return numbers;
}

function reference(field: string, typeName: string, text: unknown): number {
  const number = numberIn(typeName, String(text));
  if (number !== undefined) return number;
  throw invalid(field, 'must be the id of {what}', { what: withArticle(words(typeName)) });
}

/** The noun of a type: `logical number` for `LogicalNumber`. */
export function words(typeName: string): string {
  const lower = typeName.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  return lower.replace(/^api\b/, 'API');
}

/** `devices`, `ledger entries`. */
export const plural = (noun: string): string => (noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** Field name of a type: `logicalNumber` for `LogicalNumber`. */
export const fieldName = (typeName: string): string => typeName.charAt(0).toLowerCase() + typeName.slice(1);

/** `an app`, `an unknown terminal`, `a device`, `a user`. */
export const withArticle = (noun: string): string => `${/^(?:[aeio]|un)/i.test(noun) ? 'an' : 'a'} ${noun}`;
