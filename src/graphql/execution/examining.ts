/** Decides where an operation is executed, and whether at all, by what it examines. */
import { countAll, valuesOf, type Examination } from '../../database/list/examining/examination.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ReadWork } from '../../database/work.js';
import { beyondExamined, examinedTooMuch, LIMITS } from '../limits/limits.js';

/** Operations that may examine more run outside of the event loop: 50,000 values take about 2 ms. */
export const MANY_VALUES = 50_000;
/** Rows that are counted by an index to see whether an operation may stay in the event loop. */
const MAX_COUNTED = 10_000;

/** What an operation may examine. */
export interface Examining {
  /** Values at most. */
  readonly values: number;
  readonly isMany: boolean;
  /** Null where everything fits into the limit, whatever it finds. */
  readonly budget: ExaminedBudget | null;
}

/** For operations that examine nothing. */
export const NOTHING_EXAMINED: Examining = { values: 0, isMany: false, budget: null };

/** Reads in the unit of the operation. */
type Read = <T>(use: (work: ReadWork) => Promise<T>) => Promise<T>;

/**
 * Reads the company's totals: one statement, and a second one if what the totals allow is much. `maximum` is a limit of
 * `LIMITS`. Errors: `OperationRefused` for more.
 */
export async function examine(
  read: Read,
  examinations: readonly Examination[],
  limit: 'examined' | 'examinedTogether',
): Promise<Examining> {
  if (examinations.length === 0) return NOTHING_EXAMINED;
  const maximum = LIMITS[limit];
  const parts = await read((work) => partsOf(work, examinations));
  const values = sum(parts.map((part) => part.values));
  const isMany = values > MANY_VALUES;
  if (values <= maximum) return { values, isMany, budget: null };
  const certain = sum(parts.filter(({ isCountable }) => !isCountable).map((part) => part.values));
  if (certain > maximum) throw beyondExamined(limit, values);
  return { values: maximum, isMany, budget: new ExaminedBudget(maximum - certain, limit) };
}

interface Part {
  readonly values: number;
  /** Whether its rows are counted before they are read, see `ExaminedBudget`. */
  readonly isCountable: boolean;
}

async function partsOf(work: ReadWork, examinations: readonly Examination[]): Promise<readonly Part[]> {
  const values = await valuesOf(work, examinations);
  const parts = examinations.map((examination, index) => ({
    examination,
    values: values[index] ?? 0,
    isCountable: examination.within !== undefined,
  }));
  if (sum(values) <= MANY_VALUES) return parts;
  const counted = parts.filter(
    ({ examination }) => examination.within !== undefined && !examination.isOfParents,
  );
  const max = Math.ceil(MAX_COUNTED / Math.max(counted.length, 1));
  const rows = await countAll(
    work,
    counted.flatMap(({ examination }) => examination.within?.(work, max) ?? []),
  );
  return parts.map((part) => {
    const found = rows[counted.indexOf(part)] ?? max;
    if (found >= max) return part;
    return { values: Math.min(part.values, found * part.examination.values), isCountable: false };
  });
}

/** Lets reads examine a number of values together. Their rows are counted by an index before they are read. */
export class ExaminedBudget {
  #charging: Promise<void> = Promise.resolve();

  constructor(
    private remaining: number,
    private readonly limit: 'examined' | 'examinedTogether',
  ) {}

  /** Errors: BAD_USER_INPUT where too little is left. */
  charge(work: ReadWork, examination: Examination, parents?: readonly KeyValue[]): Promise<void> {
    const { within, values } = examination;
    if (within === undefined) return Promise.resolve();
    // One after the other, so that each counts no more rows than the others have left.
    const charged = this.#charging.then(async () => {
      const max = Math.floor(this.remaining / values) + 1;
      const [rows = 0] = await countAll(work, [within(work, max, parents)]);
      this.remaining -= rows * values;
      if (this.remaining < 0) throw examinedTooMuch(this.limit);
    });
    this.#charging = charged.catch(() => undefined);
    return charged;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
