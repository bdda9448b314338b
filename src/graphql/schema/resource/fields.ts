import { Args, Ctx, FieldResolver, Root, type ClassType } from 'type-graphql';

import type { ChildList } from '../../../database/list/list.js';
import type { KeyValue } from '../../../database/list/slice.js';
import type { Scope } from '../../../platform/caller.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { ListArgs } from '../../execution/reads.js';
import type { Declared } from '../../plan/declared.js';
import { resolvesArguments } from '../arguments.js';
import type { OrderBy } from '../connection.js';
import type { ListTypes } from '../list.js';
import { nullable, object, type AnyField, type TypedField } from '../object-type.js';
import { planned } from '../planned.js';
import { searches, searchesOfChildren, searchesOfList, type Searches } from '../searches.js';
import { addMethod, type GraphqlModule, ofScope, resolverClass } from './graphql-module.js';

/** A field of the object type of records `R` that a function resolves. */
export interface ResolvedField<R> {
  readonly field: AnyField;
  /** The scope that the field requires, `read` if absent; `resolve` demands it. See `ofScope`. */
  readonly scope?: Scope;
  /** The arguments type, if the field takes arguments. */
  readonly Args?: ClassType<ListArgs>;
  readonly resolve: (record: R, ctx: GraphqlContext, args: ListArgs) => unknown;
  /** How a plan reads the field; absent if only `resolve` can read it. */
  readonly planned?: Declared;
  /** Absent if the field reads only the rows that it shows. */
  readonly searches?: Searches<ListArgs>;
}

/** Adds fields to an object type, also to one of another resource. */
export function fields<R extends object>(
  Type: ClassType<R>,
  resolved: Readonly<Record<string, ResolvedField<R>>>,
): GraphqlModule {
  const Resolvers = resolverClass(Type);
  for (const [name, each] of Object.entries(resolved)) {
    const { field, scope = 'read', Args: ArgsOf, resolve } = each;
    const right = ofScope(scope);
    const decorate = FieldResolver(() => field.type, {
      nullable: field.isNullable || right.nullable,
      description: `${field.description}${right.note}`,
    });
    if (ArgsOf === undefined) {
      addMethod<[R, GraphqlContext]>(Resolvers, name, decorate, [Root(), Ctx()], (record, ctx) =>
        resolve(record, ctx, {}),
      );
    } else {
      const parameters = [Root(), Ctx(), Args(() => ArgsOf)] as const;
      addMethod<[R, GraphqlContext, ListArgs]>(Resolvers, name, decorate, parameters, resolve);
      resolvesArguments<R, ListArgs>((record, args, ctx) => resolve(record, ctx, args))(
        Resolvers.prototype,
        name,
      );
    }
    if (each.planned !== undefined) planned(each.planned)(Resolvers.prototype, name);
    if (each.searches !== undefined) searches(each.searches)(Resolvers.prototype, name);
  }
  return { nodes: [], resolvers: [Resolvers] };
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
  types: ListTypes<T>,
  children: ChildList<T, P>,
  key: PropertyOf<R, P>,
  description: string,
  { scope = 'read', order }: ListOptions = {},
): ResolvedField<R> {
  return {
    field: object(types.Connection, description),
    scope,
    Args: types.Args,
    resolve: (record, ctx, args) => ctx.children(children, record[key] as P, args, scope, order),
    searches: searchesOfChildren(children, order),
    planned: { kind: 'many', children, key: String(key), scope, order },
  };
}

/** A page of all records of the company. */
export function all<R, T extends object>(
  types: ListTypes<T>,
  description: string,
  { scope = 'read', order }: ListOptions = {},
): ResolvedField<R> {
  return {
    field: object(types.Connection, description),
    scope,
    Args: types.Args,
    resolve: (_record, ctx, args) => ctx.list(types.list, args, scope, order),
    searches: searchesOfList(types.list, order),
  };
}
