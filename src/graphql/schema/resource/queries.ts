import { Args, ArgsType, Ctx, Extensions, Query, type ClassType } from 'type-graphql';

import type { ReadWork } from '../../../database/work.js';
import type { GraphqlContext } from '../../execution/context.js';
import type { ListArgs } from '../../execution/reads.js';
import type { Getter } from '../../plan/declared.js';
import { resolvesArguments } from '../arguments.js';
import type { Keys } from '../connection.js';
import type { ListTypes } from '../list.js';
import { fieldName, plural, withArticle, words } from '../node.js';
import { decoratedClass, id, int, nullable, text, type AnyField } from '../object-type.js';
import { planned } from '../planned.js';
import { searches, searchesOfList } from '../searches.js';
import type { ListOptions } from './fields.js';
import { addMethod, type GraphqlModule, ofScope, resolverClass } from './graphql-module.js';

/** Another unique field to look a record up by. */
export interface UniqueKey<T> {
  readonly description: string;
  /** Errors: `not_found`, which the query answers with null. */
  readonly get: (work: ReadWork, key: string) => Promise<T>;
}

interface QueryOptions<T> extends ListQueryOptions {
  /** Unique fields besides `id` and `databaseId`, by name. */
  readonly keys?: Readonly<Record<string, UniqueKey<T>>>;
  /** See `NodeSource`. */
  readonly entityType?: string;
}

interface ListQueryOptions extends ListOptions {
  /** Name of the field; by default the plural of the type's. */
  readonly field?: string;
  readonly listDescription?: string;
  /** Records added to the cost of the list if it has a filter, which may read many records to find few. */
  readonly filterCost?: number;
}

/**
 * Adds records to the cost of a field that reads many rows for a small result: always, or only if the
 * argument `where` is given. See `limits/cost.ts`.
 */
export const counts = (records: number, where?: string): ReturnType<typeof Extensions> =>
  Extensions({ counts: records, countsWhere: where });

/** Queries of a resource: one record by its keys, such as `device`, and a list, such as `devices`. */
export function queries<T extends object>(types: ListTypes<T>, options: QueryOptions<T> = {}): GraphqlModule {
  const { list } = types;
  const { scope = 'read' } = options;
  const Resolvers = resolverClass(types.Record);
  addLookUp(Resolvers, types, options);
  addList(Resolvers, types, options);
  return { nodes: [{ list, scope, entityType: options.entityType }], resolvers: [Resolvers] };
}

/** A list of all records without a look-up of one, such as `ledger`. */
export function listQuery<T extends object>(types: ListTypes<T>, options: ListQueryOptions): GraphqlModule {
  const Resolvers = resolverClass();
  addList(Resolvers, types, options);
  return { nodes: [], resolvers: [Resolvers] };
}

function addLookUp<T extends object>(
  Resolvers: ClassType,
  { list, Record }: ListTypes<T>,
  { keys = {}, scope = 'read' }: QueryOptions<T>,
): void {
  const args: Record<string, AnyField> = {
    id: nullable(id('Global id (`id`) of the record.')),
    databaseId: nullable(int('Numeric id (`databaseId`) of the record, as in REST.')),
  };
  for (const [key, { description }] of Object.entries(keys)) args[key] = nullable(text(description));
  const KeysOfType = decoratedClass(ArgsType(), args) as ClassType<Keys>;
  const getters = Object.fromEntries(Object.entries(keys).map(([key, { get }]) => [key, get]));
  const names = Object.keys(args).map((key) => `\`${key}\``);
  const noun = withArticle(words(list.name));
  const decorate = Query(() => Record, {
    nullable: true,
    description: `${capitalized(noun)} by exactly one of ${names.join(', ')}. Null if the company has none.${ofScope(scope).note}`,
  });
  addMethod<[Keys, GraphqlContext]>(
    Resolvers,
    fieldName(list.name),
    decorate,
    [Args(() => KeysOfType), Ctx()],
    (given, ctx) => ctx.find(list, given, getters, scope),
  );
  const declared = {
    kind: 'find',
    list,
    getters: getters as Readonly<Record<string, Getter>>,
    scope,
  } as const;
  planned(declared)(Resolvers.prototype, fieldName(list.name));
}

function addList<T extends object>(
  Resolvers: ClassType,
  { list, Args: ArgsOfList, Connection }: ListTypes<T>,
  options: ListQueryOptions,
): void {
  const { field: name = `${fieldName(list.name)}s`, scope = 'read', order, filterCost } = options;
  const costNote = filterCost === undefined ? '' : ` A filter adds ${filterCost} records to the cost.`;
  const { nullable: isNullable, note } = ofScope(scope);
  const description = options.listDescription ?? `All ${plural(words(list.name))} of the company.`;
  const decorate = Query(() => Connection, {
    nullable: isNullable,
    description: `${description}${costNote}${note}`,
  });
  const resolve = (args: ListArgs, ctx: GraphqlContext): unknown => ctx.list(list, args, scope, order);
  const parameters = [Args(() => ArgsOfList), Ctx()] as const;
  addMethod<[ListArgs, GraphqlContext]>(Resolvers, name, decorate, parameters, resolve);
  resolvesArguments<unknown, ListArgs>((_source, args, ctx) => resolve(args, ctx))(Resolvers.prototype, name);
  planned({ kind: 'list', list, scope, order })(Resolvers.prototype, name);
  searches(searchesOfList(list, order))(Resolvers.prototype, name);
  if (filterCost !== undefined) counts(filterCost, 'filter')(Resolvers.prototype, name);
}

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}
