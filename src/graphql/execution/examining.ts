/** Decides by the number of examined values whether an operation is executed, and in which thread. */
import { countAll, valuesOf, type Examination } from '../../database/list/examining/examination.js';
import type { KeyValue } from '../../database/list/slice.js';
import type { ReadWork } from '../../database/work.js';
import { beyondExamined, examinedTooMuch, LIMITS } from '../limits/limits.js';

/** Operations that may examine more values run outside of the event loop: 50,000 values take about 2 ms. */
export const MANY_VALUES = 50_000;
/** Maximum rows counted by an index to find out whether an operation may stay in the event loop. */
const MAX_COUNTED = 10_000;

/** Result of the check: how many values an operation may examine. */
export interface Examining {
  /** Maximum number of values. */
  readonly values: number;
  readonly isMany: boolean;
  /** Null if the operation cannot exceed the limit, whatever rows it finds. */
  readonly budget: ExaminedBudget | null;
}

/** Result for operations that examine nothing. */
export const NOTHING_EXAMINED: Examining = { values: 0, isMany: false, budget: null };

/** Runs a read in the read unit of the operation. */
type Read = <T>(use: (work: ReadWork) => Promise<T>) => Promise<T>;

/**
 * Reads the company's totals in one statement, and counts rows in a second one if the totals allow more than
 * `MANY_VALUES`. `limit` is the name of a limit of `LIMITS`. Errors: `OperationRefused` if it is exceeded.
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

/** Values that an operation may still examine. The rows of each read are counted by an index first. */
export class ExaminedBudget {
  #charging: Promise<void> = Promise.resolve();

  constructor(
    private remaining: number,
    private readonly limit: 'examined' | 'examinedTogether',
  ) {}

  /** Subtracts the values of a read. Errors: BAD_USER_INPUT if fewer are left. */
  charge(work: ReadWork, examination: Examination, parents?: readonly KeyValue[]): Promise<void> {
    const { within, values } = examination;
    if (within === undefined) return Promise.resolve();
    // Reads are charged one after the other, so that each counts no more rows than are left.
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
