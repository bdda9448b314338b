/** Checks an export that is fetched later, by a link. */
import type { GraphQLSchema } from 'graphql';

import { firstIn } from '../../database/list/listing.js';
import type { ReadWork } from '../../database/work.js';
import { HttpProblem } from '../../http/problem.js';
import { invalid } from '../../platform/errors.js';
import { mayUse, requireScope, type Caller, type Scope } from '../../platform/requests.js';
import { camelCase } from '../../platform/validate.js';
import type { GraphqlContext } from '../execution/context.js';
import { allColumns } from './columns.js';
import { Pages } from './pages.js';
import { inRange, requestOf, sourceOf, type ExportRequest, type IdRange, type Source } from './request.js';
import { SHEET_PARAMETERS } from './sheet-request.js';

/** An export that is kept: its parameters as those of /export/v1, and the scopes that they need. */
export interface KeptExport extends IdRange {
  readonly query: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
}

/** Columns of an export that names none, as GraphQL spells them: `parsed.amount`. Errors: `forbidden`. */
export function exportedColumns(schema: GraphQLSchema, caller: Caller, field: string): readonly string[] {
  const { Record, scope } = sourceOf(schema, field);
  requireScope(caller, scope);
  return allColumns(Record, (each) => mayUse(caller, each)).map(({ name }) =>
    name.split('.').map(camelCase).join('.'),
  );
}

/**
 * An export of the records of a list that there are now, with ids above `after`, and their number. `field` is as in
 * `Exported`. Errors: `invalid` at a parameter, `forbidden` without the scope of the list or of a column.
 */
export async function keptExport(
  ctx: GraphqlContext,
  schema: GraphQLSchema,
  { field, query, after }: Pick<KeptExport, 'query' | 'after'> & { readonly field: string },
): Promise<{ readonly input: KeptExport; readonly total: number }> {
  const source = sourceOf(schema, field);
  const { list, scope } = source;
  requireScope(ctx.caller, scope);
  const request = asInvalid(() => requestOf(source, new Map(Object.entries(query)), ctx.caller));
  const open = () => Promise.resolve(ctx);
  const pages = asInvalid(() => new Pages(schema, source, request, open, undefined));
  const scopes = [...new Set([scope, ...pages.scopes])];
  for (const each of scopes) requireScope(ctx.caller, each);
  await ctx.loaders.classify([{ rows: list.listing.rows }], false);
  return await ctx.read(scope, async (work) => {
    const { upTo, total } = await measured(work, source, request, after);
    return { input: { query, after, upTo, scopes }, total };
  });
}

/** The id at which an export ends, and how many records it has after the given one. Errors: `invalid`. */
export async function measureExport(
  work: ReadWork,
  schema: GraphQLSchema,
  { field, query, after }: Pick<KeptExport, 'query' | 'after'> & { readonly field: string },
): Promise<{ readonly upTo: number; readonly total: number }> {
  const source = sourceOf(schema, field);
  const request = asInvalid(() => requestOf(source, new Map(Object.entries(query)), work.caller));
  return await measured(work, source, request, after);
}

async function measured(work: ReadWork, { list }: Source, request: ExportRequest, after: number) {
  const { id, orders } = list.listing;
  const order = list.orders.find((each) => orders[each] === id) ?? '';
  const newest = await list.only([id]).slice(work, firstIn(order, 1, { descending: true }));
  const upTo = newest.items[0]?.key.id ?? 0;
  const { condition } = after === 0 ? request : inRange(request, { after, upTo });
  return { upTo, total: await list.count(work, condition) };
}

function asInvalid<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const [name = ''] = /^[a-z_]+/.exec(error.message) ?? [];
    const isOfSheet = SHEET_PARAMETERS.some((each) => each === name);
    const own = ['columns', 'order_by', 'time_zone'].includes(name) ? name : 'filter';
    const field = isOfSheet ? `spreadsheet.${camelCase(name)}` : camelCase(own);
    throw invalid(field, 'does not fit the list: {reason}', { reason: error.message });
  }
}
