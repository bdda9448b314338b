import type { Move } from '../../database/list/moves.js';
import type { NewRows } from '../../database/list/new-rows.js';
import type { ReadWork } from '../../database/work.js';
import type { Scope } from '../../platform/requests.js';
import * as fields from './fields.js';
import type { ListTypes } from './list.js';
import { fieldName, numberIn, plural, withArticle, words } from './node.js';
import type { Keys } from './page.js';
import { id, int, object, text, untypedObjectType, type AnyField } from './types.js';

interface UniqueKey<T> {
  readonly description: string;
  /** Errors: `not_found`, which the query answers with null. */
  readonly get: (work: ReadWork, key: string) => Promise<T>;
}

interface QueryOptions<T> extends ListQueryOptions, Pick<fields.NodeSource, 'entityType'> {
  readonly keys?: Readonly<Record<string, UniqueKey<T>>>;
}

interface ListQueryOptions extends fields.ListOptions {
  /** Name of the field; by default the plural of the type's. */
  readonly field?: string;
  readonly listDescription?: string;
  /** Records added to the cost of the list if it has a filter, which may read many records to find few. */
  readonly filterCost?: number;
}

/** Queries of a resource: one record by its keys, such as `device`, and a list, such as `devices`. */
export function queries<T extends { readonly id: number }>(
  types: ListTypes<T>,
  options: QueryOptions<T> = {},
): fields.GraphqlModule {
  const { list } = types;
  const { scope = 'read', keys = {}, entityType } = options;
  return fields.graphqlModule(
    fields.query(fieldName(list.name), oneByKey(types, keys, scope)),
    listQuery(types, options),
    fields.nodesOf(list, scope, entityType),
  );
}

function oneByKey<T extends { readonly id: number }>(
  { list, Record }: ListTypes<T>,
  keys: Readonly<Record<string, UniqueKey<T>>>,
  scope: Scope,
): fields.ResolvedField<unknown, Keys> {
  const args: Record<string, AnyField> = {
    id: id.orNull('Global id (`id`) of the record.'),
    databaseId: int.orNull('Numeric id (`databaseId`) of the record, as in REST.'),
  };
  for (const [key, { description }] of Object.entries(keys)) args[key] = text.orNull(description);
  const getters = Object.fromEntries(Object.entries(keys).map(([key, { get }]) => [key, get]));
  const names = Object.keys(args).map((key) => `\`${key}\``);
  const noun = withArticle(words(list.name));
  const description = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} by exactly one of ${names.join(', ')}. Null if the company has none.`;
  return {
    field: object.orNull(Record, description),
    scope,
    args,
    resolve: (_source, ctx, given) => ctx.find(list, given, getters, scope),
    planned: { kind: 'find', list, getters, scope },
  };
}

export function listQuery<T extends object>(
  types: ListTypes<T>,
  { field, listDescription, filterCost, ...options }: ListQueryOptions,
): fields.GraphqlModule {
  const { name } = types.list;
  const description = listDescription ?? `All ${plural(words(name))} of the company.`;
  const costNote = filterCost === undefined ? '' : ` A filter adds ${filterCost} records to the cost.`;
  const list = fields.all(types, `${description}${costNote}`, options);
  const cost = filterCost === undefined ? {} : { counts: filterCost, countsWhere: 'filter' };
  return fields.query(field ?? `${fieldName(name)}s`, { ...list, ...cost });
}

/**
 * The subscription to changes of records, for example `jobChanged`. With `get`, which fails for records that do not exist,
 * it is for one record.
 */
export function changes<T extends { readonly id: number }>(
  { list: { name }, Record }: ListTypes<T>,
  newRows: NewRows<Move<T>>,
  get?: (work: ReadWork, recordId: number) => Promise<T>,
): fields.GraphqlModule {
  const [field, noun] = [fieldName(name), words(name)];
  const Event = untypedObjectType(`${name}Event`, `A change of ${withArticle(noun)}.`, {
    sequence: int(`Position among the changes of ${plural(noun)} of the company. Grows with each one.`),
    [field]: object(Record, `The ${noun} as it was when the event was sent.`),
  });
  return fields.subscription(`${field}Changed`, {
    field: object(
      Event,
      `Each change of ${withArticle(noun)}. Of changes that follow each other quickly, only the last one is sent.`,
    ),
    args: {
      ...(get && { id: id(`Global id of the ${noun}.`) }),
      after: int.orNull(
        'Resumes after the event with this `sequence`. Without it, only changes from now on are sent.',
      ),
    },
    subscribe: async (ctx, { id: recordId = '', after }) => {
      if (get === undefined) return await ctx.follow(newRows, { after });
      await ctx.read('read', (work) => get(work, numberIn(name, recordId) ?? 0));
      return await ctx.follow(newRows, { filter: { [`${field}Id`]: { eq: recordId } }, after });
    },
    resolve: ({ id: sequence, record }: Move<T>) => ({ sequence, [field]: record }),
  });
}
