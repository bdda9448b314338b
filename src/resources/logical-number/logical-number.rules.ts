import { invalid } from '../../platform/errors.js';

/**
 * The app versions that a number has from now on, out of those `linked` to its group (contract 24): what is
 * asked for must all be linked; what it had before stays as far as it is.
 */
export function versionsFor(
  asked: readonly number[] | undefined,
  before: readonly number[],
  linked: readonly number[],
): readonly number[] {
  const allowed = new Set(linked);
  if (asked === undefined) return before.filter((id) => allowed.has(id));
  const refused = asked.filter((id) => !allowed.has(id));
  if (refused.length > 0) {
    throw invalid(
      'appVersionIds',
      `must be app versions linked to the number's group: not ${refused.join(', ')}`,
    );
  }
  return [...asked].sort((a, b) => a - b);
}
