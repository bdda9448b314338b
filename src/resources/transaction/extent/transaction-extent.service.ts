import { fieldsIn, type Condition } from '../../../database/list/condition.js';
import { MANY_ROWS, type ReadWork } from '../../../database/work.js';
import { hasManyRows, type Extent } from './transaction-extent.repository.js';
import type { TransactionFilter } from '../transaction.model.js';
import { splitPeriod, type PagePlace } from '../transaction.rules.js';
import { isKeptTotal, type Narrowed } from '../transaction.totals.service.js';

/** Continues in a unit that examines, if the totals of a filter cannot be had from a few thousand rows. */
export async function examineForTotals(
  work: ReadWork,
  { serialNumber, logicalNumber }: TransactionFilter,
  narrowed: Narrowed,
  offset: number,
): Promise<void> {
  if (work.examineInstead === undefined || isKeptTotal(narrowed, offset)) return;
  const numbers: Extent[] = [];
  if (serialNumber !== undefined) numbers.push({ of: 'serial_number', value: serialNumber });
  if (logicalNumber !== undefined) numbers.push({ of: 'logical_number', value: logicalNumber });
  for (const extent of numbers) {
    if (await hasManyRows(work, extent, narrowed.period)) work.examineInstead();
  }
  if (numbers.length > 0) return;
  for (const { isWhole, ...range } of splitPeriod(narrowed.period)) {
    if (await hasManyRows(work, { of: isWhole ? 'days' : 'transactions' }, range)) work.examineInstead();
  }
}

/** The fields of which each has an index in the order of time: with one of them, only rows of the page are examined. */
const INDEXED: readonly string[] = ['status', 'appName', 'serialNumber', 'logicalNumber'];

/** Continues in a unit that examines, if the rows of a page are found only among more than a few thousand others. */
export async function examineForPage(work: ReadWork, where: Condition, place: PagePlace): Promise<void> {
  if (work.examineInstead === undefined) return;
  if (place.skip > MANY_ROWS) work.examineInstead();
  const fields = fieldsIn(where);
  if (fields.length === 0 || (fields.length === 1 && INDEXED.includes(fields[0] ?? ''))) return;
  // The rows of a device or logical number are few: that was found for the totals.
  if (fields.includes('serialNumber') || fields.includes('logicalNumber')) return;
  if (await hasManyRows(work, { of: 'transactions' }, place)) work.examineInstead();
}
