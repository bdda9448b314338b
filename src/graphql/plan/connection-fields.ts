import type { ListRow } from '../../database/list/listing.js';
import type { Slice } from '../../database/list/slice.js';
import { pageInfo, type PageInfoShape } from '../schema/connection.js';
import { encodeCursor } from '../schema/cursor.js';
import type { ConnectionField, Pages } from './connection-plan.js';
import type { ObjectPlan } from './object-plan.js';
import { listText, Unplanned, type PlanRun } from './run.js';

type Items = Slice<ListRow>['items'];

/** A text that is the same for all. */
export function constantField(key: string, text: string): ConnectionField {
  return { key, needs: 'nothing', texts: (_run, { count }) => Array<string>(count).fill(text) };
}

export function nodesField(key: string, node: ObjectPlan): ConnectionField {
  return {
    key,
    needs: 'records',
    texts: async (run, pages) => {
      const lists = itemsOf(pages);
      const texts = await textsByRow(run, node, lists, pages);
      return await run.textOfEach(lists, (items) =>
        listText(items.map(({ record }) => texts.get(record) ?? '')),
      );
    },
  };
}

/** The selected fields of an edge: a text, the cursor or the record. */
export type EdgeField = { readonly key: string } & (
  | { readonly text: string }
  | { readonly node: ObjectPlan | null }
);

export function edgesField(key: string, fields: readonly EdgeField[]): ConnectionField {
  return {
    key,
    needs: 'records',
    texts: async (run, pages) => {
      const lists = itemsOf(pages);
      const writers: ((item: Items[number]) => string)[] = [];
      for (const field of fields) {
        const write = await edgeWriter(run, pages, field, lists);
        const start = `${writers.length === 0 ? '' : ','}"${field.key}":`;
        writers.push((item) => start + write(item));
      }
      const edge = (item: Items[number]): string => `{${writers.map((write) => write(item)).join('')}}`;
      const edges = await run.textOfEach(lists.flat(), edge);
      let end = 0;
      return await run.textOfEach(lists, ({ length }) => listText(edges.slice(end, (end += length))));
    },
  };
}

async function edgeWriter(
  run: PlanRun,
  pages: Pages,
  field: EdgeField,
  lists: readonly Items[],
): Promise<(item: Items[number]) => string> {
  if ('text' in field) return () => field.text;
  if (field.node === null) return (item) => `"${encodeCursor(pages.request.order, item.key)}"`;
  const texts = await textsByRow(run, field.node, lists, pages);
  return ({ record }) => texts.get(record) ?? '';
}

export type PageInfoField = { readonly key: string } & (
  | { readonly text: string }
  | { readonly shows: keyof PageInfoShape }
);

export function pageInfoField(key: string, fields: readonly PageInfoField[]): ConnectionField {
  return {
    key,
    needs: 'page',
    texts: (run, { request, slices }) =>
      run.textOfEach(slices ?? [], (slice) => {
        const info = pageInfo(request, slice);
        const texts = fields.map(
          (field) => `"${field.key}":${'text' in field ? field.text : JSON.stringify(info[field.shows])}`,
        );
        return `{${texts.join()}}`;
      }),
  };
}

export function totalField(key: string): ConnectionField {
  return {
    key,
    needs: 'total',
    texts: (_run, { totals }) =>
      (totals ?? []).map((total) => {
        if ((total | 0) !== total) throw new Unplanned('A total that is no Int');
        return String(total);
      }),
  };
}

/** A page of size 0 has no records, though some may have been read to see whether there are any. */
function itemsOf({ request, slices, count }: Pages): readonly Items[] {
  if (request.limit === 0 || slices === null) return Array<Items>(count).fill([]);
  return slices.map(({ items }) => items);
}

/** The text of each record, which is made once however many lists have it. */
async function textsByRow(
  run: PlanRun,
  node: ObjectPlan,
  lists: readonly Items[],
  { times }: Pages,
): Promise<ReadonlyMap<ListRow, string>> {
  const rows = new Map<ListRow, number>();
  for (const [index, items] of lists.entries()) {
    for (const { record } of items) rows.set(record, (rows.get(record) ?? 0) + (times[index] ?? 0));
  }
  const distinct = [...rows.keys()];
  const texts = await node.texts(run, distinct, [...rows.values()]);
  return new Map(distinct.map((row, index) => [row, texts[index] ?? '']));
}
