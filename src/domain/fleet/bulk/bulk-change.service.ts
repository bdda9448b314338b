import { MANY_ROWS } from '../../../database/company/company-rows.js';
import { countOf } from '../../../database/counters.js';
import type { Condition } from '../../../database/list/condition.js';
import type { List } from '../../../database/list/list.js';
import type { ReadWork, WriteWork } from '../../../database/work.js';
import type { Json } from '../../../platform/encoding/json.js';
import { type DomainError, invalid, tooManyRecords } from '../../../platform/errors.js';
import { MAX_JOB_ROWS } from '../../base/job/job.model.js';
import type { Rejected } from '../../base/job/job.service.js';
import { setParameters } from '../setting/parameter.service.js';

/** Records by their ids, or by a condition; null selects all of the company. */
export type BulkTarget = { readonly ids: readonly number[] } | { readonly condition: Condition | null };

interface Targets<T> {
  readonly list: List<T>;
  readonly table: 'devices' | 'logical_numbers';
  /** For example `logical numbers`. */
  readonly records: string;
}

/** The records of a target, by ascending id. Errors: `invalid` for an unknown id, `too_many_records`. */
export async function findTargets<T extends { readonly id: number }>(
  work: ReadWork,
  { list, table, records }: Targets<T>,
  target: BulkTarget,
): Promise<readonly T[]> {
  if ('ids' in target) {
    const found = await list.byIds(work, target.ids);
    if (found.size < target.ids.length) throw invalid('target.ids', `must hold ids of ${records} only`);
    return [...found.values()].sort((one, other) => one.id - other.id);
  }
  if ((await countOf(work, table)) > MANY_ROWS) work.moveToThread?.();
  const found = await list.upTo(work, MAX_JOB_ROWS, target.condition);
  if (found.length <= MAX_JOB_ROWS) return found;
  const many = `more than ${MAX_JOB_ROWS} ${records}`;
  throw tooManyRecords('The target', many, MAX_JOB_ROWS, `select fewer ${records}`);
}

/** A row of the job of a bulk change: a record, with the name that it had. */
export interface BulkRow {
  readonly id: number;
  readonly name: string;
}

/**
 * Records of rows, those with a refusal apart, by their places; `refusalOf` gets undefined for a record that is gone, and
 * refuses it.
 */
export function sortedOut<T>(
  rows: readonly Json[],
  found: ReadonlyMap<number, T>,
  refusalOf: (record: T | undefined) => DomainError | undefined,
): { readonly accepted: readonly T[]; readonly rejected: Rejected } {
  const accepted: T[] = [];
  const rejected = new Map<number, DomainError>();
  for (const [place, id] of idsIn(rows).entries()) {
    const record = found.get(id);
    const refusal = refusalOf(record);
    if (refusal !== undefined) rejected.set(place, refusal);
    else if (record !== undefined) accepted.push(record);
  }
  return { accepted, rejected };
}

export const idsIn = (rows: readonly Json[]): readonly number[] =>
  (rows as unknown as readonly BulkRow[]).map(({ id }) => id);

/** Refuses a change without a field. Errors: `invalid`. */
export function demandChange(change: object): void {
  if (Object.values(change).some((value) => value !== undefined)) return;
  throw invalid('change', 'must not be empty: it would change nothing');
}

/** Sets a parameter of each of these logical numbers. */
export async function setOfEach(
  work: WriteWork,
  numberIds: Iterable<number>,
  input: object | undefined,
): Promise<void> {
  if (input === undefined) return;
  await setAllParameters(
    work,
    Array.from(numberIds, (id) => ({ owner: { logicalNumberId: id, groupId: null }, input })),
  );
}

export type Setting = Parameters<typeof setParameters>[1][number];

/** Sets parameters. Errors: the first refusal. */
export async function setAllParameters(work: WriteWork, settings: readonly Setting[]): Promise<void> {
  const results = await setParameters(work, settings, 'REJECT_EVERYTHING');
  const refused = results.find(({ problem }) => problem !== null);
  if (refused?.problem) throw refused.problem;
}
