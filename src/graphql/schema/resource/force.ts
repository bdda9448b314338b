import { Arg } from 'type-graphql';

import type { ReadWork } from '../../../database/work.js';
import type { Input } from '../input.js';
import type { Parameter } from './graphql-module.js';

/** Whether a change is made although terminals lose software. Absent and null: not. */
export type Force = boolean | null | undefined;

/** Refuses a change of a record that takes software from terminals. Errors: `in_use`. */
export type Keeps<R> = (work: ReadWork, current: R, input: Input) => Promise<void>;

/**
 * Makes a change that may take software from terminals, and refuses it without `force`. Errors in the input
 * have priority: the refusal is thrown after the change, and the unit of work rolls back. Only for changes
 * that take software as a side effect; changes that list the app versions of a logical number do not need it,
 * nor does `appVersionGrant`, which has `expectCount`.
 */
export async function changeWithForce<T>(
  force: Force,
  keeps: (() => Promise<void>) | undefined,
  change: () => Promise<T>,
): Promise<T> {
  const check = force === true ? undefined : keeps?.();
  const refusal = await check?.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  const changed = await change();
  if (refusal != null) throw refusal.error;
  return changed;
}

/** The argument `force` of a mutation that may take software from terminals; none for others. */
export const forceParameters = (keeps: unknown): readonly Parameter[] =>
  keeps === undefined
    ? []
    : [
        Arg('force', () => Boolean, {
          nullable: true,
          defaultValue: false,
          description:
            'Without it, a change that takes app versions from terminals is refused: IN_USE, with the number of terminals. True makes it.',
        }),
      ];
