import { invalid } from '../../platform/errors.js';

/**
 * The new app versions of a number (contract 24), ascending. All requested ones must be `linked` to its group; without a
 * request (undefined) it keeps those of its present ones that are linked.
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
