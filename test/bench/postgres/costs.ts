import { readFileSync, writeFileSync } from 'node:fs';

/** Cost of one request: for each figure, the best round. */
export interface Cost {
  readonly perSecond: number;
  /** Microseconds of processor time of the server, and of PostgreSQL. */
  readonly node: number;
  readonly database: number;
  /** Bytes of write-ahead log of PostgreSQL. */
  readonly log: number;
}

/** Measurements of `bench:postgres -- --save`; the input of `bench:sizing`. */
export interface Costs {
  /** When, on what and beside what it was measured. */
  readonly measured: Readonly<Record<string, string | number>>;
  /** On PostgreSQL, by operation. */
  readonly operations: Readonly<Record<string, Cost>>;
  /** In PostgreSQL with all indexes, for each row. */
  readonly bytes: { readonly transaction: number; readonly ledgerEntry: number; readonly device: number };
}

const FILE = new URL('costs.json', import.meta.url).pathname;

export const saveCosts = (costs: Costs): void => writeFileSync(FILE, `${JSON.stringify(costs, null, 2)}\n`);

export const readCosts = (): Costs => JSON.parse(readFileSync(FILE, 'utf8')) as Costs;
