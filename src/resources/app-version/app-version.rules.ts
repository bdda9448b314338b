/** The ids to remove and to add so that `before` becomes `after`. */
export function difference(
  before: readonly number[],
  after: readonly number[],
): { readonly removed: readonly number[]; readonly added: readonly number[] } {
  const had = new Set(before);
  const has = new Set(after);
  return { removed: before.filter((id) => !has.has(id)), added: after.filter((id) => !had.has(id)) };
}
