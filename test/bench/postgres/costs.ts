import { readFileSync, writeFileSync } from 'node:fs';

import type { Cost } from './rounds.js';

/** Measurements of `bench:postgres -- --save`; the input of `bench:sizing`. */
export interface Costs {
  /** When, on what and beside what it was measured. */
  readonly measured: Readonly<Record<string, string | number>>;
  /** By the name of the server and the operation. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, Cost>>>>;
  /** In PostgreSQL with all indexes, for each row. */
  readonly bytes: { readonly transaction: number; readonly ledgerEntry: number; readonly device: number };
}

const FILE = new URL('costs.json', import.meta.url).pathname;

export const saveCosts = (costs: Costs): void => writeFileSync(FILE, `${JSON.stringify(costs, null, 2)}\n`);

export const readCosts = (): Costs => JSON.parse(readFileSync(FILE, 'utf8')) as Costs;
