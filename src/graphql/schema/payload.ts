import { InterfaceType, ObjectType, type ClassType } from 'type-graphql';

import { invalid, type Refusal } from '../../platform/errors.js';
import {
  shownRefusal,
  userErrorsOf,
  type UserErrorCode,
  type UserErrorShape,
  type Within,
} from './errors.js';
import { fieldName, Node } from './node.js';
import * as g from './types.js';

const UserErrorCodes = g.enumeration<UserErrorCode>(
  'UserErrorCode',
  'Kind of an error that the client can correct.',
  {
    INVALID: 'A value is not allowed.',
    TAKEN: 'Another record already has this value.',
    NOT_FOUND: 'The company has no such record.',
    NOT_EMPTY: 'Other records still belong to the record.',
    IN_USE: 'Terminals would lose software; the message says how many.',
    TOO_MANY_RECORDS: 'One request cannot change so many records; the message says what to do instead.',
    STALE: 'The record has another revision than `ifMatch`: it was changed since the client read it.',
  },
);

/** Why a value or a row is refused, for programs, and for messages in other languages. */
const REFUSAL = {
  code: g.choice(UserErrorCodes, 'Kind of the error.'),
  rule: g.text.orNull(
    'Name of the rule that is broken, for example too_long, for a message in another language. The code in lower case where the code says all.',
  ),
  params: g.json.orNull(
    'Values of the rule by name, for example { "maximum": 64 }, with `in` for a part of a field. Null if it has none.',
  ),
};

/** Fields of an object type for refused rows. */
export const refusalFields = {
  code: { field: REFUSAL.code, resolve: (row: Refusal) => shownRefusal(row).code },
  rule: { field: REFUSAL.rule, resolve: (row: Refusal) => shownRefusal(row).rule },
  params: { field: REFUSAL.params, resolve: (row: Refusal) => shownRefusal(row).params },
};

const UserError = g.decoratedClass(
  InterfaceType('UserError', {
    description: 'An error that the client can correct.',
    resolveType: () => 'InputError',
  }),
  {
    message: g.text('A sentence, or a predicate about the last name in `path`, such as "must not be empty".'),
    path: g.text.list(
      'Names and list indexes from the arguments to the invalid value, for example ["input", "name"]. Empty if the error is about the record as a whole.',
    ),
    ...REFUSAL,
    current: g.object.orNull(Node, 'With the code STALE, the record as it is now. Null otherwise.'),
  },
);

// The only type of user errors.
g.decoratedClass(
  ObjectType('InputError', {
    implements: UserError,
    simpleResolvers: true,
    description: 'An error in the arguments of a mutation.',
  }),
);

export const userErrors = (description: string): g.AnyField => g.object.list(UserError, description);

export interface Payload {
  readonly warnings: readonly string[];
  readonly userErrors: readonly UserErrorShape[];
}

export const changedRecord = (Record: ClassType): g.AnyField =>
  g.object.orNull(Record, 'The record after the change. Null if nothing was changed.');

export function payloadType(name: string, fields: g.Fields): ClassType<Payload> {
  return g.untypedObjectType(`${name}Payload`, `Result of \`${fieldName(name)}\`.`, {
    ...fields,
    warnings: g.text.list(
      'Warnings about a change that was made: the field and a sentence, for example that a value looks like a card number. Usually empty.',
    ),
    userErrors: userErrors('Why nothing was changed. Empty if the mutation succeeded.'),
  }) as ClassType<Payload>;
}

/** Refuses an argument that is absent; null is a value. */
export function present<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw invalid(name, 'is required; it may be null');
  return value;
}

/** Runs a change. Errors that the client can correct become `userErrors`, others are thrown. */
export async function payload<T extends object>(
  change: () => Promise<T>,
  within: Within = ['input'],
): Promise<Payload & Partial<T>> {
  try {
    return { warnings: [], ...(await change()), userErrors: [] };
  } catch (error) {
    const errors = userErrorsOf(error, within);
    if (errors === undefined) throw error;
    return { warnings: [], userErrors: errors } as unknown as Payload & Partial<T>;
  }
}

/** Number of records in a payload, including its rows. */
export function recordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((total: number, row) => total + recordsIn(row), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return 'id' in value ? 1 : Object.values(value).reduce((total: number, row) => total + recordsIn(row), 0);
}
