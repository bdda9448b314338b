import type { GraphQLField } from 'graphql';

import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ReadWork } from '../../database/work.js';
import type { Scope } from '../../platform/caller.js';

interface Order {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

interface Identified {
  readonly id: number;
}

/** Finds a record by a key of its own. Errors: `not_found`. */
export type Getter = (work: ReadWork, key: string) => Promise<Identified>;

/** How a plan reads a field. Properties are properties of records. */
export type Declared =
  /** The global id of a record. */
  | { readonly kind: 'id' }
  | { readonly kind: 'column'; readonly property: string; readonly scope: Scope | null }
  /** A value that follows from a column, which may be no property of a record, and from the unit of work. */
  | {
      readonly kind: 'derived';
      readonly property: string;
      readonly of: (value: unknown, work: ReadWork) => unknown;
    }
  /** The record whose number is in a property. */
  | { readonly kind: 'one'; readonly list: List<unknown>; readonly reference: string }
  /** A page of the records that refer to the value of a property. */
  | {
      readonly kind: 'many';
      readonly children: ChildList<unknown, KeyValue>;
      readonly key: string;
      readonly scope: Scope;
      readonly order: Order | undefined;
    }
  /** A page of all records. */
  | {
      readonly kind: 'list';
      readonly list: List<unknown>;
      readonly scope: Scope;
      readonly order: Order | undefined;
    }
  /** One record by exactly one of its keys. */
  | {
      readonly kind: 'find';
      readonly list: List<unknown>;
      readonly getters: Readonly<Record<string, Getter>>;
      readonly scope: Scope;
    };

export function declaredOf({ name, resolve, extensions }: GraphQLField<unknown, unknown>): Declared | null {
  const declared = extensions.planned as Declared | undefined;
  if (declared !== undefined) return declared;
  return resolve === undefined ? { kind: 'column', property: name, scope: null } : null;
}
