import { ROW_VALUES, type Examination } from '../../database/list/examining/examination.js';
import type { ReadWork } from '../../database/work.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { effectiveParameters } from './effective-parameter.rules.js';
import type { EffectiveParameter } from './parameter.model.js';
import { effectiveWithin, selectParametersOfOwners } from './parameter.repository.js';

interface Holder {
  readonly id: number;
  readonly groupId: number | null;
}

/** Examination of `listEffectiveParameters`: parameters are read, and merged with those of the group. */
export const EFFECTIVE_EXAMINATION: Examination = {
  values: 2 * ROW_VALUES,
  rows: 'parameters',
  within: effectiveWithin,
  isOfParents: true,
};

/** Parameters merged per turn of the event loop: takes about 5 ms. */
const MERGED_PER_TURN = 2_000;

/** Effective parameters by id of the logical number. One statement. */
export async function listEffectiveParameters(
  work: ReadWork,
  numbers: readonly Holder[],
): Promise<ReadonlyMap<number, readonly EffectiveParameter[]>> {
  const ids = numbers.map((number) => number.id);
  const groupIds = new Set(numbers.flatMap((number) => number.groupId ?? []));
  const found = await selectParametersOfOwners(work, ids, [...groupIds]);
  const own = Map.groupBy(found, (parameter) => parameter.logicalNumberId);
  const ofGroups = Map.groupBy(found, (parameter) => parameter.groupId);
  const all = new Map<number, readonly EffectiveParameter[]>();
  let merged = 0;
  for (const { id, groupId } of numbers) {
    const inherited = groupId === null ? [] : (ofGroups.get(groupId) ?? []);
    const effective = effectiveParameters(own.get(id) ?? [], inherited);
    all.set(id, effective);
    merged += effective.length;
    if (merged <= MERGED_PER_TURN) continue;
    merged = 0;
    await yieldToEventLoop();
  }
  return all;
}
