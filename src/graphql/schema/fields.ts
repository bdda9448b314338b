import { isObjectType, type GraphQLSchema } from 'graphql';
import {
  Arg,
  Extensions,
  FieldResolver,
  Resolver,
  type ClassType,
  type Mutation,
  type Query,
} from 'type-graphql';

import type { ChildList, List } from '../../database/list/list.js';
import type { KeyValue } from '../../database/list/listing.js';
import type { Scope } from '../../platform/caller.js';
import type { GraphqlContext } from '../execution/context.js';
import type { Declarations, OrderBy } from './declared.js';
import type { ListTypes } from './list.js';
import { searchesOf, type ListArgs } from './page.js';
import {
  decoratedClass,
  enumName,
  nullable,
  object,
  type AnyField,
  type Fields,
  type TypedField,
} from './types.js';

/** List in which `node(id:)` looks up the records of one type. */
export interface NodeSource {
  readonly list: List<object>;
  /** The scope that reading a record requires. */
  readonly scope: Scope;
  /** Record type in the ledger; by default the type name in snake case. */
  readonly entityType?: string | undefined;
}

/** Additions of a resource to the schema. */
export interface GraphqlModule {
  readonly nodes: readonly NodeSource[];
  readonly resolvers: readonly ClassType[];
}

/** Joins parts into one module. A part is another module, or a resolver class. */
export function graphqlModule(...parts: readonly (GraphqlModule | ClassType)[]): GraphqlModule {
  const modules = parts.map((part) => ('nodes' in part ? part : { nodes: [], resolvers: [part] }));
  return {
    nodes: modules.flatMap(({ nodes }) => nodes),
    resolvers: modules.flatMap(({ resolvers }) => resolvers),
  };
}

/** Lets `node(id:)` find the records of a list that has no look-up of its own. */
export function nodesOf(list: List<object>, scope: Scope = 'read'): GraphqlModule {
  return { nodes: [{ list, scope }], resolvers: [] };
}

/** A field with a function that resolves it, for a record of type `R` and arguments of type `A`. */
export interface ResolvedField<R, A = ListArgs> extends Declarations {
  readonly field: AnyField;
  /**
   * The scope that the field requires, `read` if absent; `resolve` demands it. With another scope, the field is
   * nullable, so that a token without the scope gets null and an error for this field alone.
   */
  readonly scope?: Scope;
  readonly args?: Fields;
  readonly resolve: (record: R, ctx: GraphqlContext, args: A) => unknown;
}

type ResolvedFields<R> = Readonly<Record<string, ResolvedField<R, never>>>;

/** Adds fields to an object type, also to one of another resource. */
export function fields<R extends object>(Type: ClassType<R>, resolved: ResolvedFields<R>): GraphqlModule {
  return resolvedFields(
    FieldResolver,
    resolved,
    Resolver(() => Type),
  );
}

/** Adds fields to an object type, or to the queries or mutations. */
export function resolvedFields(
  decorator: typeof FieldResolver | typeof Mutation | typeof Query,
  resolved: ResolvedFields<never>,
  resolver = Resolver(),
): GraphqlModule {
  const Resolvers = decoratedClass(resolver);
  const { prototype } = Resolvers;
  for (const [name, { field, scope = 'read', args = {}, ...declared }] of Object.entries(resolved)) {
    for (const [index, [arg, given]] of Object.entries(args).entries()) {
      const { type, isNullable, description, defaultValue } = given;
      Arg(arg, () => type, { nullable: isNullable, description, defaultValue })(prototype, name, index);
    }
    const note = scope === 'read' ? '' : ` Requires the scope ${enumName(scope)}; null without it.`;
    const options = {
      nullable: field.isNullable || scope !== 'read',
      description: `${field.description}${note}`,
    };
    decorator(() => field.type, options)(prototype, name, {});
    Extensions(declared)(prototype, name);
  }
  return { nodes: [], resolvers: [Resolvers] };
}

/**
 * Gives declared fields their own resolvers, which take arguments as graphql-js coerced them. type-graphql would
 * first make instances of its classes of all input objects, again for each source: 30 µs for each payment, 8 µs
 * for each comparison of a filter.
 */
export function useDeclaredResolvers(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const resolve = field.extensions.resolve as ResolvedField<unknown, unknown>['resolve'] | undefined;
      if (resolve !== undefined)
        field.resolve = (source, args: unknown, ctx: GraphqlContext) => resolve(source, ctx, args);
    }
  }
}

/** A field that is computed from the record. */
export function computed<R, V>(
  field: TypedField<V>,
  resolve: (record: R, ctx: GraphqlContext) => V | Promise<V>,
): ResolvedField<R> {
  return { field, resolve };
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
    field: nullable(object(Record, description)),
    resolve: (record, ctx) => ctx.one(list, record[reference] as number | null),
    planned: { kind: 'one', list, reference: String(reference) },
  };
}

/** Makes a field non-null: its value exists for every record. */
export function required<R>(resolved: ResolvedField<R>): ResolvedField<R> {
  return { ...resolved, field: { ...resolved.field, isNullable: false } };
}

export interface ListOptions {
  /** The scope that reading the list requires. */
  readonly scope?: Scope;
  /** Default order; ascending by id if absent. */
  readonly order?: OrderBy;
}

/** A page of the records that belong to a record; `key` is the property of the record that they refer to. */
export function many<R, T extends object, P extends KeyValue>(
  { Connection, args: takes }: ListTypes<T>,
  children: ChildList<T, P>,
  key: PropertyOf<R, P>,
  description: string,
  { scope = 'read', order }: ListOptions = {},
): ResolvedField<R> {
  return {
    field: object(Connection, description),
    scope,
    args: takes,
    resolve: (record, ctx, args) => ctx.children(children, record[key] as P, args, scope, order),
    searches: searchesOf(children, order),
    planned: { kind: 'many', children, key: String(key), scope, order },
  };
}

/** A page of all records of the company. */
export function all<R, T extends object>(
  { list, Connection, args: takes }: ListTypes<T>,
  description: string,
  { scope = 'read', order }: ListOptions = {},
): ResolvedField<R> {
  return {
    field: object(Connection, description),
    scope,
    args: takes,
    resolve: (_record, ctx, args) => ctx.list(list, args, scope, order),
    searches: searchesOf(list, order),
    planned: { kind: 'list', list, scope, order },
  };
}
