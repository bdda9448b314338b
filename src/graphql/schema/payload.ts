import type { GraphQLScalarType } from 'graphql';
import { Field, InterfaceType, ObjectType, registerEnumType, type ClassType } from 'type-graphql';

import type { ErrorPolicy } from '../../platform/batch.js';
import { invalid } from '../../platform/errors.js';
import {
  USER_ERROR_CODES,
  userErrorsOf,
  type UserErrorCode,
  type UserErrorShape,
  type Within,
} from './errors.js';

registerEnumType(USER_ERROR_CODES, {
  name: 'UserErrorCode',
  description: 'Why a change was not made, where the caller can mend it.',
  valuesConfig: {
    INVALID: { description: 'A value cannot be taken.' },
    TAKEN: { description: 'Another record has this value already.' },
    NOT_FOUND: { description: 'There is no such record.' },
    NOT_EMPTY: { description: 'Other records still belong to it.' },
    STALE: { description: 'The record has changed meanwhile.' },
  },
});

@InterfaceType({
  description: 'Something that the caller can mend.',
  resolveType: () => 'InputError',
})
export abstract class UserError implements UserErrorShape {
  @Field(() => String, { description: 'In words: a sentence, or what follows the name of the field.' })
  message!: string;

  @Field(() => [String], { description: 'Where in the arguments; empty for the record itself.' })
  path!: readonly string[];

  @Field(() => USER_ERROR_CODES, { description: 'For programs.' })
  code!: UserErrorCode;
}

@ObjectType({
  implements: UserError,
  simpleResolvers: true,
  description: 'An argument that cannot be taken as it is.',
})
export class InputError extends UserError {}

/** Whether one bad row of a batch stops the whole batch. */
export const BULK_ERROR_POLICIES: Readonly<Record<ErrorPolicy, ErrorPolicy>> = {
  REJECT_EVERYTHING: 'REJECT_EVERYTHING',
  REJECT_FAILED_ROWS: 'REJECT_FAILED_ROWS',
};
registerEnumType(BULK_ERROR_POLICIES, {
  name: 'BulkErrorPolicy',
  description: 'What one bad row does to the others of a batch.',
  valuesConfig: {
    REJECT_EVERYTHING: { description: 'Nothing is done where any row is bad.' },
    REJECT_FAILED_ROWS: { description: 'The rows that are not bad are done.' },
  },
});

/** The payload type of a mutation: the record under `field`, null where nothing was changed, and why. */
export function payloadOf(
  name: string,
  field: string,
  RecordType: () => ClassType | GraphQLScalarType,
): ClassType<Payload> {
  @ObjectType(`${name}Payload`, { simpleResolvers: true, description: `What ${name} did.` })
  class MutationPayload {
    @Field(() => [UserError], { description: 'Why nothing was changed; empty where it was.' })
    userErrors!: readonly UserErrorShape[];
  }
  const what = field === 'deletedId' ? 'Id of the record that is no longer there' : 'The record as it is now';
  Field(RecordType, { nullable: true, description: `${what}; null where nothing was changed.` })(
    MutationPayload.prototype,
    field,
  );
  return MutationPayload as ClassType<Payload>;
}

export interface Payload {
  readonly userErrors: readonly UserErrorShape[];
}

/** An argument that may be null but has to be there: nobody takes something away by leaving it out. */
export function present<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw invalid(name, 'is required; it may be null');
  return value;
}

/** Runs a change; what the caller can mend becomes `userErrors`, everything else an error of the field. */
export async function payload<T extends object>(
  change: () => Promise<T>,
  within: Within = ['input'],
): Promise<Payload & Partial<T>> {
  try {
    return { ...(await change()), userErrors: [] };
  } catch (error) {
    const userErrors = userErrorsOf(error, within);
    if (userErrors === undefined) throw error;
    return { userErrors } as unknown as Payload & Partial<T>;
  }
}

/** Records in a payload: its own, and those of its rows. */
export function recordsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((total: number, row) => total + recordsIn(row), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return 'id' in value ? 1 : Object.values(value).reduce((total: number, row) => total + recordsIn(row), 0);
}
