import { isObjectType, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import {
  Arg,
  Extensions,
  Field,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Subscription,
  type ClassType,
} from 'type-graphql';

import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue } from '../../database/list/listing.js';
import type { EntryCount } from '../../database/list/request-class.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import type { Scope } from '../../platform/requests.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Declarations, Identified, LoadForMany, OrderBy } from './declared.js';
import type { ListTypes } from './list.js';
import { DATABASE_ID, globalId, ID, Node } from './node.js';
import { searchesOf, type ListArgs } from './page.js';
import * as g from './types.js';

/** List in which `node(id:)` looks up the records of one type. */
export interface NodeSource {
  readonly list: List<object>;
  readonly scope: Scope;
  /** Record type in the ledger; by default the type name in snake case. */
  readonly entityType?: string | undefined;
}

/** How a change of a record is reverted: by the ordinary update, to the values that the ledger has from before. */
export interface Reversal {
  readonly typeName: string;
  /** Errors: `not_found`. */
  readonly get: (work: ReadWork, id: number) => Promise<object>;
  /** Names of the fields that the update sets; changes of others cannot be reverted. */
  readonly fields: readonly string[];
  /** Errors: those of the update; `in_use` where it takes software from terminals, unless forced. */
  readonly run: (
    work: WriteWork,
    current: object,
    values: Readonly<Record<string, unknown>>,
    ctx: GraphqlContext,
    isForced: boolean,
  ) => Promise<object>;
}

/** Additions of a resource to the schema. */
export interface GraphqlModule {
  readonly nodes: readonly NodeSource[];
  /** Classes with a query, mutation or subscription each. */
  readonly roots: readonly ClassType[];
  readonly reversals?: readonly Reversal[];
}

export function graphqlModule(...modules: readonly GraphqlModule[]): GraphqlModule {
  return {
    nodes: modules.flatMap(({ nodes }) => nodes),
    roots: modules.flatMap(({ roots }) => roots),
    reversals: modules.flatMap(({ reversals = [] }) => reversals),
  };
}

/** Lets `node(id:)` find the records of a list. */
export function nodesOf(list: List<object>, scope: Scope = 'read', entityType?: string): GraphqlModule {
  return { nodes: [{ list, scope, entityType }], roots: [] };
}

/** A field with a function that resolves it, for a record of type `R` and arguments of type `A`. */
export interface ResolvedField<R, A = ListArgs> extends Declarations {
  readonly field: g.AnyField;
  /** Required scope, which `resolve` demands. With another than `read` the field is nullable: null with an error. */
  readonly scope?: Scope;
  readonly args?: g.Fields;
  readonly resolve: (record: R, ctx: GraphqlContext, args: A, info: GraphQLResolveInfo) => unknown;
  /** Starts a subscription. Its events are resolved from the new records. */
  readonly subscribe?: (ctx: GraphqlContext, args: A) => Promise<AsyncIterable<unknown>>;
}

/** Adds fields to an object type, also to one of another resource. */
export function fields<R extends object>(
  Type: ClassType<R>,
  resolved: Readonly<Record<string, ResolvedField<R, never>>>,
): GraphqlModule {
  for (const [name, each] of Object.entries(resolved)) {
    Field(...declaration(Type, name, each))(Type.prototype as object, name);
  }
  return { nodes: [], roots: [] };
}

/** Declares arguments and extensions of a field. Returns the arguments of its decorator. */
function declaration(
  { prototype }: ClassType,
  name: string,
  { field, scope = 'read', args = {}, ...extensions }: ResolvedField<never, never>,
) {
  for (const [index, [arg, given]] of Object.entries(args).entries()) {
    const { type, isNullable, description, defaultValue } = given;
    Arg(arg, () => type, { nullable: isNullable, description, defaultValue })(prototype, name, index);
  }
  Extensions(field.counts === undefined ? extensions : { counts: field.counts, ...extensions })(
    prototype,
    name,
  );
  const note = scope === 'read' ? '' : ` Requires the scope ${g.enumName(scope)}; null without it.`;
  const description = `${field.description}${note}`;
  return [() => field.type, { nullable: field.isNullable || scope !== 'read', description }] as const;
}

/** A field of a root type; `resolve` takes the values of its arguments. */
type RootField<R, F extends g.Fields> = ResolvedField<R, g.ValuesOf<F>> & { readonly args?: F };

type Decorate = (type: () => object, options: object) => MethodDecorator;

function rootField(decorate: Decorate, more: object = {}) {
  return <R, F extends g.Fields>(name: string, resolved: RootField<R, F>): GraphqlModule => {
    const Root = g.decoratedClass(Resolver());
    const [type, options] = declaration(Root, name, resolved);
    decorate(type, { ...options, ...more })(Root.prototype, name, {});
    return { nodes: [], roots: [Root] };
  };
}

export const query = rootField(Query);
export const mutation = rootField(Mutation);
/** type-graphql requires a function, which `useDeclaredResolvers` replaces. */
export const subscription = rootField(Subscription as Decorate, { subscribe: () => undefined });

/**
 * Gives declared fields their own resolvers. type-graphql would first make instances of its classes of all input
 * objects, again for each source: 30 µs for each payment, 8 µs for each comparison of a filter.
 */
export function useDeclaredResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve, subscribe } = field.extensions as Partial<ResolvedField<unknown, unknown>>;
      if (resolve !== undefined)
        field.resolve = (source, args: unknown, ctx: GraphqlContext, info) =>
          resolve(source, ctx, args, info);
      if (subscribe !== undefined)
        field.subscribe = (_source, args: unknown, ctx: GraphqlContext) => subscribe(ctx, args);
    }
  }
}

/** An object type for records, with `id` and `databaseId`. `Hidden` names properties that it does not show. */
export function nodeType<T extends { readonly id: number }, Hidden extends keyof T = never>(
  name: string,
  description: string,
  shown: g.FieldsOf<T, 'id' | Hidden>,
): ClassType<T> {
  const decorate = ObjectType(name, { description, implements: Node, simpleResolvers: true });
  const Type = g.decoratedClass(decorate, shown) as ClassType<T>;
  fields<T>(Type, {
    id: { field: ID, resolve: (record) => globalId(name, record.id), planned: { kind: 'id' } },
    databaseId: {
      field: DATABASE_ID,
      resolve: (record) => record.id,
      planned: { kind: 'column', property: 'id', scope: null },
    },
  });
  return Type;
}

/** A value that only its resolver can read. */
export function computed<R, V>(
  field: g.TypedField<V>,
  resolve: (record: R, ctx: GraphqlContext) => V | Promise<V>,
): ResolvedField<R> {
  return { field, resolve };
}

/** A value that is computed from the record, without reading anything else. */
export function derived<R, V>(field: g.TypedField<V>, of: (record: R) => V): ResolvedField<R> {
  return { field, resolve: (record) => of(record), planned: { kind: 'derived', of } };
}

/**
 * A value that one function reads for many records together; `of` makes it of what was read. Errors: BAD_USER_INPUT for
 * too many `entries` of lists without pages.
 */
export function loaded<R extends Identified, V, Shown>(
  field: g.TypedField<Shown>,
  load: LoadForMany<R, V>,
  of: (found: V | undefined, record: R, ctx: GraphqlContext) => Shown,
  entries?: readonly EntryCount[],
): ResolvedField<R> {
  return {
    field,
    resolve: async (record, ctx) => of(await ctx.loadForMany(load, record, entries), record, ctx),
    planned: { kind: 'loaded', load, of, entries },
  };
}

/** Like `loaded`, for a list without pages, whose entries in the response are counted. */
export function unpaged<R extends Identified, V>(
  field: g.TypedField<readonly V[]>,
  load: LoadForMany<R, readonly V[]>,
  entries: readonly EntryCount[],
): ResolvedField<R> {
  const of = (found: readonly V[] | undefined): readonly V[] => found ?? [];
  return {
    field,
    resolve: async (record, ctx) => ctx.unpaged(of(await ctx.loadForMany(load, record, entries))),
    planned: { kind: 'loaded', load, of, entries, isUnpaged: true },
  };
}

/** The record with a certain name; null if there is none. The names of many records are looked up together. */
export function named<R extends Identified, T extends object>(
  field: g.TypedField<T | null | undefined>,
  find: (work: ReadWork, names: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  nameOf: (record: R) => string,
): ResolvedField<R> {
  const load = async (work: ReadWork, records: readonly R[]) => {
    const found = await find(work, [...new Set(records.map(nameOf))]);
    return new Map(records.map((record) => [record.id, found.get(nameOf(record)) ?? null]));
  };
  return {
    field,
    resolve: (record, ctx) => ctx.named(find, nameOf(record)),
    planned: { kind: 'loaded', load, of: (found) => found, isRecord: true },
  };
}

/** The names of the properties of `R` that have the type `V`. */
type PropertyOf<R, V> = { [K in keyof R]-?: R[K] extends V ? K : never }[keyof R];

/** The record whose number is in a property; null if the property is null, or the record was deleted. */
export function one<R, T extends object>(
  { list, Record }: Pick<ListTypes<T>, 'list' | 'Record'>,
  reference: PropertyOf<R, number | null>,
  description: string,
): ResolvedField<R> {
  return {
    field: g.object.orNull(Record, description),
    resolve: (record, ctx) => ctx.one(list, record[reference] as number | null),
    planned: { kind: 'one', list, reference: String(reference) },
  };
}

/** Makes a field non-null: its value exists for every record. */
export function required<R>(resolved: ResolvedField<R>): ResolvedField<R> {
  return { ...resolved, field: { ...resolved.field, isNullable: false } };
}

export interface ListOptions {
  readonly scope?: Scope;
  /** Default order; ascending by id if absent. */
  readonly order?: OrderBy;
}

/** A page of the records that refer to a property of a record: `key`, its id by default. */
export function many<R, T extends object, P extends KeyValue>(
  { Connection, args: takes }: ListTypes<T>,
  children: ChildList<T, P>,
  description: string,
  { key, scope = 'read', order }: ListOptions & { readonly key?: PropertyOf<R, P> } = {},
): ResolvedField<R> {
  const property = String(key ?? 'id') as keyof R & string;
  return {
    field: g.object(Connection, description),
    scope,
    args: takes,
    resolve: (record, ctx, args, info) =>
      ctx.children(children, record[property] as P, args, info, scope, order),
    searches: searchesOf(children, order),
    planned: { kind: 'many', children, key: property, scope, order },
  };
}

export function all<R, T extends object>(
  { list, Connection, args: takes }: ListTypes<T>,
  description: string,
  { scope = 'read', order }: ListOptions = {},
): ResolvedField<R> {
  return {
    field: g.object(Connection, description),
    scope,
    args: takes,
    resolve: (_record, ctx, args, info) => ctx.list(list, args, info, scope, order),
    searches: searchesOf(list, order),
    planned: { kind: 'list', list, scope, order },
  };
}
