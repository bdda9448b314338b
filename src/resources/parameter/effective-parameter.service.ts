import type { ReadWork } from '../../database/work.js';
import { effectiveParameters } from './effective-parameter.rules.js';
import type { EffectiveParameter, Parameter } from './parameter.model.js';
import { selectParametersOfOwners } from './parameter.repository.js';

interface Holder {
  readonly id: number;
  readonly groupId: number | null;
}

/** The effective parameters of each logical number, by its id; one statement. */
export async function listEffectiveParameters(
  work: ReadWork,
  numbers: readonly Holder[],
): Promise<ReadonlyMap<number, readonly EffectiveParameter[]>> {
  const ids = numbers.map((number) => number.id);
  const groupIds = new Set(numbers.flatMap((number) => number.groupId ?? []));
  const found = await selectParametersOfOwners(work, ids, [...groupIds]);
  const own = byOwner(found, 'logicalNumberId');
  const ofGroups = byOwner(found, 'groupId');
  const none: readonly Parameter[] = [];
  return new Map(
    numbers.map(({ id, groupId }) => {
      const inherited = groupId === null ? none : (ofGroups.get(groupId) ?? none);
      return [id, effectiveParameters(own.get(id) ?? none, inherited)];
    }),
  );
}

function byOwner(
  parameters: readonly Parameter[],
  owner: 'logicalNumberId' | 'groupId',
): ReadonlyMap<number, readonly Parameter[]> {
  const found = new Map<number, Parameter[]>();
  for (const parameter of parameters) {
    const id = parameter[owner];
    if (id === null) continue;
    const known = found.get(id);
    if (known === undefined) found.set(id, [parameter]);
    else known.push(parameter);
  }
  return found;
}
