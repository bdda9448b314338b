/** Checks an export that is fetched later, by a link. */
import type { GraphQLSchema } from 'graphql';

import { firstIn } from '../../database/list/listing.js';
import { HttpProblem } from '../../http/problem.js';
import { invalid } from '../../platform/errors.js';
import { requireScope, type Scope } from '../../platform/requests.js';
import { camelCase } from '../../platform/validate.js';
import type { GraphqlContext } from '../execution/context.js';
import { Pages } from './pages.js';
import { inRange, requestOf, sourceOf, type IdRange } from './request.js';

/** An export that is kept: its parameters as those of /export/v1, and the scopes that they need. */
export interface KeptExport extends IdRange {
  readonly query: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
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
    const { id, orders } = list.listing;
    const order = list.orders.find((each) => orders[each] === id) ?? '';
    const newest = await list.only([id]).slice(work, firstIn(order, 1, { descending: true }));
    const range = { after, upTo: newest.items[0]?.key.id ?? 0 };
    const total = await list.count(work, (after === 0 ? request : inRange(request, range)).condition);
    return { input: { query, ...range, scopes }, total };
  });
}

function asInvalid<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const [name = 'filter'] = /^(columns|time_zone)/.exec(error.message) ?? [];
    throw invalid(camelCase(name), 'does not fit the list: {reason}', { reason: error.message });
  }
}
