import type { GraphQLSchema } from 'graphql';

import { firstIn, type Key, type ListRow, type Slice } from '../../database/list/listing.js';
import { notFound } from '../../platform/errors.js';
import { requireScope } from '../../platform/requests.js';
import type { GraphqlContext } from '../execution/context.js';
import { Compiler } from '../plan/compiler.js';
import { recordTexts } from '../plan/relations.js';
import { PlanRun, Unplanned, type RecordPlan } from '../plan/texts.js';
import { words } from '../schema/node.js';
import { decodeCursor, encodeCursor } from '../schema/page.js';
import { selectionOf } from './columns.js';
import { orderFor, orMalformed, type ExportRequest, type Source } from './request.js';

/** Sums over the exported records, of columns that are read besides those of the client. */
export interface Totals {
  readonly columns: readonly string[];
  readonly start: () => { readonly add: (row: ListRow) => void; readonly sums: () => object };
}

/** A page of records as JSON texts, with what follows it. */
interface Page {
  readonly texts: readonly string[];
  readonly slice: Slice<ListRow>;
}

/** Opens a context for one page. Errors: those of a token that is no longer valid. */
export type OpenContext = () => Promise<GraphqlContext>;

const MOST_ROWS = 500;
/** Rows of a first page of records that may be large. */
const FIRST_ROWS = 50;
/** Characters of a page, so that an export needs the same memory whatever its records are. */
const PAGE_CHARACTERS = 256 * 1024;

/**
 * The pages of an export, each read in a unit of its own: a slow client holds no state of the database. Errors:
 * `forbidden` for columns of another scope.
 */
export class Pages {
  readonly order: string;
  count = 0;
  #key: Key | null = null;
  readonly #record: RecordPlan;
  readonly #sums: ReturnType<Totals['start']> | undefined;

  constructor(
    schema: GraphQLSchema,
    private readonly source: Source,
    private readonly request: ExportRequest,
    private readonly open: OpenContext,
    totals: Totals | undefined,
  ) {
    const { list } = source;
    this.order = request.orderBy?.field ?? orderFor(list, request.condition);
    this.#sums = totals?.start();
    const compiler = new Compiler(schema, {}, {});
    const { id, orders } = list.listing;
    const columns = new Set([id, orders[this.order] ?? id, ...(totals?.columns ?? [])]);
    this.#record = compiler.record(source.nodes, [selectionOf(request.columns)], { list, columns });
    this.scopes = [...compiler.scopes];
  }

  readonly scopes: Compiler['scopes'] extends Set<infer S> ? readonly S[] : never;

  /** The last line: totals of the exported records, and the cursor after which an export goes on. */
  end() {
    const { after } = this.request;
    const last = this.#key === null ? after : encodeCursor(this.order, this.#key);
    return { totals: { count: this.count, ...this.#sums?.sums() }, after: last };
  }

  /** Reads a page while the client takes the one before. */
  async *read(): AsyncGenerator<readonly string[]> {
    let limit = this.source.list.isLarge ? FIRST_ROWS : MOST_ROWS;
    for (let next: Promise<Page> | null = this.#page(limit); next !== null;) {
      const { texts, slice }: Page = await next;
      for (const row of slice.records) this.#sums?.add(row);
      this.count += texts.length;
      this.#key = slice.items.at(-1)?.key ?? this.#key;
      const characters = texts.reduce((sum, { length }) => sum + length, 1);
      limit = Math.max(
        1,
        Math.min(MOST_ROWS, 2 * limit, Math.floor((PAGE_CHARACTERS * texts.length) / characters)),
      );
      next = slice.hasMore ? this.#page(limit) : null;
      // A client that leaves does not take it.
      next?.catch(() => undefined);
      yield texts;
    }
  }

  /** A page of up to `limit` records; of fewer, if their texts would be too long. */
  async #page(limit: number): Promise<Page> {
    const context = await this.open();
    try {
      for (const scope of this.scopes) requireScope(context.caller, scope);
      return await this.#read(context, limit);
    } catch (error) {
      if (!(error instanceof Unplanned) || limit === 1) throw error;
    } finally {
      context.finish();
    }
    return await this.#page(Math.ceil(limit / 8));
  }

  async #read(context: GraphqlContext, limit: number): Promise<Page> {
    const { list } = this.source;
    const { loaders } = context;
    const key = this.#key ?? (await this.#start(context));
    const { condition, orderBy } = this.request;
    const descending = orderBy?.direction === 'desc';
    const request = firstIn(this.order, limit, { condition, key, descending });
    const search = list.searchOfSlice(request);
    if (search !== null) await loaders.classify([search], false);
    else if (list.isLarge) await loaders.takePlace();
    const view = list.only([...this.#record.columns]);
    return await loaders.uncounted(async (work) => {
      const slice = await view.slice(work, { ...request, isWalk: search !== null });
      const times = slice.records.map(() => 1);
      const texts = await recordTexts(this.#record)(new PlanRun(work, {}, context), slice.records, times);
      return { slice, texts };
    });
  }

  /** Beginning of the export. Errors: 400 for another cursor, `not_found` for a record that is gone. */
  async #start({ loaders }: GraphqlContext): Promise<Key | null> {
    const { list } = this.source;
    const { after } = this.request;
    if (after === null) return null;
    if (typeof after === 'string') return orMalformed(() => decodeCursor(after, this.order));
    const { id, orders } = list.listing;
    const column = orders[this.order] ?? id;
    if (column === id) return { value: after, id: after };
    const found = await loaders.uncounted((work) => list.only([id, column]).byIds(work, [after]));
    const row = found.get(after);
    if (row === undefined) throw notFound(`${words(list.name)} to go on after`);
    return { value: row[column] as Key['value'], id: after };
  }
}
