import type { ListRow } from '../../database/list/listing.js';
import { Unplanned, type PlanRun } from './run.js';

/** Makes the JSON text of a field from a row. */
export type WriteField = (row: ListRow) => string;

/** A field that shows other records. Makes its JSON text for each row. */
export interface Relation {
  /** `times`: how often each row is in the response. Related records are read once, and counted as often. */
  texts(run: PlanRun, rows: readonly ListRow[], times: readonly number[]): Promise<readonly string[]>;
}

export interface PlannedField {
  /** Name in the response. */
  readonly key: string;
  readonly value: WriteField | Relation;
}

/** The selected fields of records that are read as rows. */
export class ObjectPlan implements Relation {
  /** Fields that show other records. */
  readonly relations: readonly Relation[];
  readonly #starts: readonly string[];

  constructor(
    /** Columns to read, including the id. */
    readonly columns: readonly string[],
    private readonly fields: readonly PlannedField[],
  ) {
    this.relations = fields.flatMap(({ value }) => (typeof value === 'function' ? [] : [value]));
    this.#starts = fields.map(({ key }, index) => `${index === 0 ? '' : ','}"${key}":`);
  }

  /** The rows must be of different records. */
  async texts(run: PlanRun, rows: readonly ListRow[], times: readonly number[]): Promise<readonly string[]> {
    const writers: ((row: ListRow, index: number) => string)[] = [];
    for (const { value } of this.fields) {
      if (typeof value === 'function') writers.push(value);
      else writers.push(textsOf(await value.texts(run, rows, times)));
    }
    return await run.textOfEach(rows, (row, index) => this.#text(writers, row, index));
  }

  #text(writers: readonly ((row: ListRow, index: number) => string)[], row: ListRow, index: number): string {
    let text = '{';
    for (let field = 0; field < writers.length; field += 1) {
      text += this.#starts[field] ?? '';
      text += writers[field]?.(row, index) ?? '';
    }
    return inOnePiece(`${text}}`);
  }
}

/** Longer texts are joined from parts that are flat already. */
const MAX_PIECE = 4_096;

/**
 * Flattens a text. V8 stores a joined text as its parts until one of its characters is read. Without this, it
 * would copy the parts of all rows at once when the response is sent: 59 ms for 8 MB instead of 8.
 */
function inOnePiece(text: string): string {
  if (text.length <= MAX_PIECE && Number.isNaN(text.charCodeAt(0))) throw new Unplanned('An empty text');
  return text;
}

const textsOf =
  (texts: readonly string[]) =>
  (_row: ListRow, index: number): string =>
    texts[index] ?? '';
