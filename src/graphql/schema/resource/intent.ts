import { Arg, ID, Mutation, type ClassType } from 'type-graphql';

import { fieldName, words } from '../node.js';
import { payloadOf } from '../payload.js';
import type { Parameter } from './method.js';

interface Listed {
  readonly list: { readonly name: string };
  readonly Record: ClassType;
}

/** Decorates the method of a mutation that returns the record it changes. The payload type is named after the method. */
export function RecordMutation({ list, Record }: Listed, description: string): ReturnType<typeof Mutation> {
  return (prototype, name, descriptor) => {
    const typeName = String(name).charAt(0).toUpperCase() + String(name).slice(1);
    const Payload = payloadOf(typeName, fieldName(list.name), Record);
    Mutation(() => Payload, { description })(prototype, name, descriptor);
  };
}

/** Decorates the parameter of a mutation that takes the global id of the record to change. */
export const IdArg = (typeName: string): Parameter =>
  Arg('id', () => ID, { description: `Global id of the ${words(typeName)}.` });
