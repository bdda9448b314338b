import type { z } from 'zod';

import { DomainError } from './errors.js';
import { parse } from './validate.js';

type Given<G> = Exclude<G, undefined>;

/**
 * A copy of `current` with the given fields: an absent one (undefined) keeps its value, null clears it. A
 * field that `current` does not have, or has with another type, does not compile.
 */
export function changed<
  T extends object,
  G extends { readonly [K in keyof G]: K extends keyof T ? T[K] | undefined : never },
>(current: T, given: G): T {
  return { ...current, ...withoutUndefined(given) };
}

/** The optional fields of a model whose value is never null: an absent one needs a default. */
type NeedsDefault<V> = {
  readonly [K in keyof V as undefined extends V[K] ? (null extends V[K] ? never : K) : never]-?: Given<V[K]>;
};

type Complete<V, D> = D & { readonly [K in keyof V]-?: Given<V[K]> };

/**
 * The values of a new record: the valid input, completed with `defaults`, and with null for a nullable field
 * that is in neither of them. Errors: `invalid`.
 */
export function newValues<S extends z.ZodObject, D extends NeedsDefault<z.output<S>>>(
  schema: S,
  input: unknown,
  defaults: D,
): Complete<z.output<S>, D> {
  const given = withoutUndefined(parse(schema, input));
  const nulls = Object.fromEntries(Object.keys(schema.shape).map((field) => [field, null]));
  return { ...nulls, ...defaults, ...given } as unknown as Complete<z.output<S>, D>;
}

function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Audit fields of a record: its revision, and when, by whom and through which surface it was created. */
export interface Audit {
  /** Starts at 1 and grows with each change. Clients name it in If-Match (as an ETag) and `ifMatch`. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Id of the user who created it. */
  readonly createdBy: number;
  readonly createdVia: 'api' | 'interface';
}

/**
 * Optimistic locking: refuses to change a record that was changed since the client read it. `current` is the
 * state of the record, usually its `revision`; a hash of the response would require rendering a file of 32
 * MiB. `accepted` are the states for which the client allows the change; null allows any. Must be called in
 * the transaction of the change. Errors: `stale`.
 */
export function demandUnchanged<State>(
  current: State,
  accepted: readonly State[] | null,
  message: string,
): void {
  if (accepted !== null && !accepted.includes(current)) throw new DomainError('stale', message);
}
