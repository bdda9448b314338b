import type { GraphQLField } from 'graphql';

import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue } from '../../database/list/listing.js';
import type { EntryCount, Search } from '../../database/list/request-class.js';
import type { ReadWork } from '../../database/work.js';
import type { Scope } from '../../platform/requests.js';

/** Declarations of a field besides its type and its resolver: its `extensions` in the schema. */
export interface Declarations {
  /** How a plan reads the field; absent if only its resolver can read it, or if it shows a property as it is. */
  readonly planned?: Declared;
  /** Searches of the field, see `limits/cost.ts`; absent if it reads only the rows that it shows. */
  readonly searches?: Searches<never>;
  /** Records added to the cost of the field, always or only if the argument `countsWhere` is given. */
  readonly counts?: number;
  readonly countsWhere?: string;
}

/** Searches of a field for its coerced arguments; null for reads by an index. Errors: invalid arguments. */
export type Searches<A = object> = (args: A, selected: Selected) => readonly (Search | null)[];

/** Selected parts of a connection: its page (nodes, edges, `pageInfo`), and its total. */
export interface Selected {
  readonly page: boolean;
  readonly total: boolean;
}

/** Order of a list by one of its indexed columns, for example `{ field: 'CREATED_AT', direction: 'desc' }`. */
export interface OrderBy {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** Finds a record by a key of its own. Errors: `not_found`. */
export type Getter = (work: ReadWork, key: string) => Promise<Identified>;

export interface Identified {
  readonly id: number;
}

/** Reads a value of each of many records, by their ids. */
export type LoadForMany<R, V> = (work: ReadWork, records: readonly R[]) => Promise<ReadonlyMap<number, V>>;

/** A value that one function reads for many records together. */
export interface Loaded {
  readonly kind: 'loaded';
  readonly load: LoadForMany<never, unknown>;
  /** The value that is shown, from the one that was read; undefined if there is none. */
  of(found: unknown, record: Identified, ctx: object): unknown;
  /** Entries of lists without pages that are read, see `countEntries`. */
  readonly entries?: readonly EntryCount[] | undefined;
  /** True if the value is a list without pages, whose entries are counted. */
  readonly isUnpaged?: true;
  /** True if the value is a record: it counts in the cost of the operation. */
  readonly isRecord?: true;
}

/** How a plan reads a field. Properties are properties of records. */
export type Declared =
  | { readonly kind: 'id' }
  | { readonly kind: 'column'; readonly property: string; readonly scope: Scope | null }
  /** A value that follows from a column, which may be no property of a record, and from the unit of work. */
  | {
      readonly kind: 'fromColumn';
      readonly property: string;
      readonly of: (value: unknown, work: ReadWork) => unknown;
    }
  /** Computed from the record, without reading anything else. */
  | { readonly kind: 'derived'; of(record: unknown): unknown }
  | Loaded
  | { readonly kind: 'one'; readonly list: List<unknown>; readonly reference: string }
  /** A page of the records that refer to the value of a property. */
  | {
      readonly kind: 'many';
      readonly children: ChildList<unknown, KeyValue>;
      readonly key: string;
      readonly scope: Scope;
      readonly order: OrderBy | undefined;
    }
  | {
      readonly kind: 'list';
      readonly list: List<unknown>;
      readonly scope: Scope;
      readonly order: OrderBy | undefined;
    }
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
