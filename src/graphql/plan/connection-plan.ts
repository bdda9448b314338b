import type { ListRow } from '../../database/list/listing.js';
import type { Slice, SliceRequest } from '../../database/list/slice.js';
import type { PlanRun } from './run.js';

/** The same page of several lists. */
export interface Pages {
  readonly count: number;
  /** How often each of the pages is in the response. */
  readonly times: readonly number[];
  readonly request: SliceRequest;
  /** Null where none of their records is selected. */
  readonly slices: readonly Slice<ListRow>[] | null;
  /** Null where no total is selected. */
  readonly totals: readonly number[] | null;
}

export interface ConnectionField {
  /** Its name in the response. */
  readonly key: string;
  /** The records of the page, what is around it, or the total. */
  readonly needs: 'records' | 'page' | 'total' | 'nothing';
  /** Its JSON text for each of the pages. */
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

  /** Nothing is read for a page of size 0, unless it says whether there are records. */
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
