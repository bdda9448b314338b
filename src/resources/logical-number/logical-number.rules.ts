import { invalid } from '../../platform/errors.js';

/**
 * New app versions of a number (contract 24), ascending. All requested versions must be `linked` to its
 * group; if `requested` is undefined, it keeps its linked ones.
 */
export function versionsFor(
  requested: readonly number[] | undefined,
  before: readonly number[],
  linked: readonly number[],
): readonly number[] {
  const allowed = new Set(linked);
  if (requested === undefined) return before.filter((id) => allowed.has(id));
  const refused = requested.filter((id) => !allowed.has(id));
  if (refused.length > 0) {
    throw invalid(
      'appVersionIds',
      `must be app versions linked to the number's group: not ${refused.join(', ')}`,
    );
  }
  return [...requested].sort((a, b) => a - b);
}
