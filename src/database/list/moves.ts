import type { Row } from '../../schema/schema.js';
import { drawPosition } from '../company/company-rows.js';
import type { WriteWork } from '../work.js';
import { listOf } from './list.js';

/** A change of a record, at the position `id` among those of its company. */
export interface Move<T> {
  readonly id: number;
  readonly record: T;
}

/**
 * Changes of records for subscriptions. Each change draws a `sequence` for the row. `name` is the type of the records, for
 * example `Job`; they are filtered by `jobId`.
 */
export function movesOf<Name extends 'jobs' | 'alerts' | 'rollouts', T>(
  table: Name,
  name: string,
  recordOf: (row: Row<Name>) => T,
) {
  const what = name.toLowerCase();
  const moves = listOf<'jobs', Move<T>>({
    name: `${name}Change`,
    table: table as 'jobs',
    rows: table,
    id: 'sequence',
    orders: { ID: 'sequence' },
    filters: { [`${what}Id`]: { column: 'id', kind: 'id' } },
    recordOf: (row) => ({ id: row.sequence, record: recordOf(row as Row<Name>) }),
  });
  const counter = `${what}_changes`;
  return {
    newRows: moves.movedRows(`${table}_by_sequence`, counter),
    /** The position of the change that this unit makes. Wakes the subscribers after its commit. */
    nextSequence: (work: WriteWork): Promise<number> => {
      work.report({ companyId: work.caller.companyId, entityType: `${what}_change` });
      return drawPosition(work, counter);
    },
  };
}
