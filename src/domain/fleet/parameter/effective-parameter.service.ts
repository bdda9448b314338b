import type { Search } from '../../../database/list/request-class.js';
import type { ReadWork } from '../../../database/work.js';
import { yieldToEventLoop } from '../../../platform/concurrency/event-loop.js';
import { effectiveParameters } from './effective-parameter.rules.js';
import type { EffectiveParameter } from './parameter.model.js';
import { selectParametersOfOwners } from './parameter.repository.js';

interface Holder {
  readonly id: number;
  readonly groupId: number | null;
}

export { effectiveEntries } from './parameter.repository.js';

/** Search of `listEffectiveParameters`, which reads the parameters of the numbers and of their groups. */
export const EFFECTIVE_SEARCH: Search = { rows: 'parameters', isLimited: true };

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
