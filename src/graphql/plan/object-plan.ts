import type { ListRow } from '../../database/list/list-statements.js';
import type { PlanRun } from './run.js';

/** The JSON text of a field, from columns of its record. */
export type WriteField = (row: ListRow) => string;

/** A field behind which are other records: its JSON text for each of some rows. */
export interface Relation {
  texts(run: PlanRun, rows: readonly ListRow[]): Promise<readonly string[]>;
}

export interface PlannedField {
  /** Its name in the response. */
  readonly key: string;
  readonly value: WriteField | Relation;
}

/** Rows that are made into text in one go. */
const ROWS_PER_PART = 500;

/** The selected fields of records that are read as rows. */
export class ObjectPlan implements Relation {
  readonly #starts: readonly string[];

  constructor(
    /** What it reads, the id among it. */
    readonly columns: readonly string[],
    private readonly fields: readonly PlannedField[],
  ) {
    this.#starts = fields.map(({ key }, index) => `${index === 0 ? '' : ','}"${key}":`);
  }

  /** The rows are of different records. */
  async texts(run: PlanRun, rows: readonly ListRow[]): Promise<readonly string[]> {
    const writers: ((row: ListRow, index: number) => string)[] = [];
    for (const { value } of this.fields) {
      if (typeof value === 'function') writers.push(value);
      else writers.push(textsOf(await value.texts(run, rows)));
    }
    const texts: string[] = [];
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % ROWS_PER_PART === 0) await run.pause();
      texts.push(this.#text(writers, row, index));
    }
    return texts;
  }

  #text(writers: readonly ((row: ListRow, index: number) => string)[], row: ListRow, index: number): string {
    let text = '{';
    for (let field = 0; field < writers.length; field += 1) {
      text += this.#starts[field] ?? '';
      text += writers[field]?.(row, index) ?? '';
    }
    return `${text}}`;
  }
}

const textsOf =
  (texts: readonly string[]) =>
  (_row: ListRow, index: number): string =>
    texts[index] ?? '';
