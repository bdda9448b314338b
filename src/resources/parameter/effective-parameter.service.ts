import { ROW_VALUES, type Examination } from '../../database/list/examination.js';
import type { ReadWork } from '../../database/work.js';
import { effectiveParameters } from './effective-parameter.rules.js';
import type { EffectiveParameter } from './parameter.model.js';
import { effectiveWithin, selectParametersOfOwners } from './parameter.repository.js';

interface Holder {
  readonly id: number;
  readonly groupId: number | null;
}

/** What `listEffectiveParameters` examines at most: each parameter is read, and merged with those of the group. */
export const EFFECTIVE_EXAMINATION: Examination = {
  values: 2 * ROW_VALUES,
  rows: 'parameters',
  within: effectiveWithin,
  isOfParents: true,
};

/** The effective parameters of each logical number, by its id; one statement. */
export async function listEffectiveParameters(
  work: ReadWork,
  numbers: readonly Holder[],
): Promise<ReadonlyMap<number, readonly EffectiveParameter[]>> {
  const ids = numbers.map((number) => number.id);
  const groupIds = new Set(numbers.flatMap((number) => number.groupId ?? []));
  const found = await selectParametersOfOwners(work, ids, [...groupIds]);
  const own = Map.groupBy(found, (parameter) => parameter.logicalNumberId);
  const ofGroups = Map.groupBy(found, (parameter) => parameter.groupId);
  return new Map(
    numbers.map(({ id, groupId }) => {
      const inherited = groupId === null ? [] : (ofGroups.get(groupId) ?? []);
      return [id, effectiveParameters(own.get(id) ?? [], inherited)];
    }),
  );
}
