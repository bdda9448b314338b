import type { ListRow } from '../../database/list/listing.js';
import type { Slice, SliceRequest } from '../../database/list/slice.js';
import type { PlanRun } from './run.js';

/** Pages with the same request, one for each of several lists. */
export interface Pages {
  readonly count: number;
  /** How often each page appears in the response. */
  readonly times: readonly number[];
  readonly request: SliceRequest;
  /** Null if no field needs the records. */
  readonly slices: readonly Slice<ListRow>[] | null;
  /** Null if no total is selected. */
  readonly totals: readonly number[] | null;
}

export interface ConnectionField {
  /** Name in the response. */
  readonly key: string;
  /** Data that the field needs: the records, the page (`pageInfo`, cursors), or the total. */
  readonly needs: 'records' | 'page' | 'total' | 'nothing';
  /** JSON text of the field for each page. */
  readonly texts: (run: PlanRun, pages: Pages) => readonly string[] | Promise<readonly string[]>;
}

/** The selected fields of a connection. */
export class ConnectionPlan {
  readonly #needs: ReadonlySet<ConnectionField['needs']>;

  constructor(
    private readonly fields: readonly ConnectionField[],
    /** Columns of the records. */
    readonly columns: readonly string[],
  ) {
    this.#needs = new Set(fields.map(({ needs }) => needs));
  }

  get needsTotal(): boolean {
    return this.#needs.has('total');
  }

  /** Whether the page must be read. A page of size 0 is read only for `pageInfo`. */
  needsSlice({ limit }: SliceRequest): boolean {
    return this.#needs.has('page') || (this.#needs.has('records') && limit > 0);
  }

  async texts(run: PlanRun, pages: Pages): Promise<readonly string[]> {
    for (const [index, { items }] of (pages.slices ?? []).entries()) {
      run.nodes += items.length * (pages.times[index] ?? 0);
    }
    let texts: string[] = Array<string>(pages.count).fill('{');
    for (const [index, field] of this.fields.entries()) {
      const start = `${index === 0 ? '' : ','}"${field.key}":`;
      const own = await field.texts(run, pages);
      texts = await run.textOfEach(texts, (text, page) => text + start + (own[page] ?? ''));
    }
    return texts.map((text) => `${text}}`);
  }
}
