import { Arg, Int } from 'type-graphql';

import { demandUnchanged } from '../../../platform/changes/changes.js';
import { words } from '../node.js';
import type { Parameter } from './graphql-module.js';

/** A record that optimistic locking can guard. */
export interface Revised {
  readonly revision: number;
}

/** The revision that a record must have. Absent and null: any. */
export type IfMatch = number | null | undefined;

/** The argument `ifMatch`, if a mutation has it, and its check. */
export interface Lock<R, P extends readonly Parameter[] = readonly Parameter[]> {
  readonly parameters: P;
  /** Errors: `stale`. */
  readonly demand: (current: R, ifMatch: IfMatch) => void;
}

/** Lock of mutations without `ifMatch`. */
export const UNLOCKED: Lock<unknown> = { parameters: [], demand: () => undefined };

export function lockOf(typeName: string): Lock<Revised, readonly [Parameter]> {
  const noun = words(typeName);
  const description = `Revision that the ${noun} must have: STALE and no change if it has another. Any revision if absent.`;
  return {
    parameters: [Arg('ifMatch', () => Int, { nullable: true, description })],
    demand: ({ revision }, ifMatch) => {
      const message = `The ${noun} was changed: its revision is ${revision}, not ${ifMatch}. Read it again.`;
      demandUnchanged(revision, ifMatch == null ? null : [ifMatch], message);
    },
  };
}
