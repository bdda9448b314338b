import { Resolver, type ClassType, type Ctx } from 'type-graphql';

import type { List } from '../../../database/list/list.js';
import type { Scope } from '../../../platform/caller.js';
import { enumName } from '../enumeration.js';
import { decoratedClass } from '../object-type.js';

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

/** Lets `node(id:)` find the records of a list that has no look-up of its own. */
export function nodesOf(list: List<object>, scope: Scope = 'read'): GraphqlModule {
  return { nodes: [{ list, scope }], resolvers: [] };
}

/**
 * Nullability and description of a field that requires a scope. With a scope other than `read`, the field is
 * nullable, so that a token without the scope gets null and an error for this field alone, and the rest of
 * the response.
 */
export function ofScope(scope: Scope): { readonly nullable: boolean; readonly note: string } {
  return scope === 'read'
    ? { nullable: false, note: '' }
    : { nullable: true, note: ` Requires the scope ${enumName(scope)}; null without it.` };
}

/** Joins parts into one module. A part is another module, or a resolver class. */
export function graphqlModule(...parts: readonly (GraphqlModule | ClassType)[]): GraphqlModule {
  const modules = parts.map((part) => ('nodes' in part ? part : { nodes: [], resolvers: [part] }));
  return {
    nodes: modules.flatMap(({ nodes }) => nodes),
    resolvers: modules.flatMap(({ resolvers }) => resolvers),
  };
}

/** A new resolver class; the fields of its methods are added to `Type`, if one is given. */
export function resolverClass(Type?: ClassType): ClassType {
  return decoratedClass(Type === undefined ? Resolver() : Resolver(() => Type));
}

/** A decorator of a parameter, such as `Ctx()`. */
export type Parameter = ReturnType<typeof Ctx>;

/** Adds a decorated method to a resolver class that is made at run time; each parameter has one decorator. */
export function addMethod<P extends readonly unknown[]>(
  { prototype }: ClassType,
  name: string,
  decorate: MethodDecorator,
  parameters: { readonly [I in keyof P]: Parameter },
  run: (...values: P) => unknown,
): void {
  const method = { value: run };
  Object.defineProperty(prototype, name, method);
  for (const [index, parameter] of parameters.entries()) parameter(prototype, name, index);
  decorate(prototype, name, method);
}
