/** The ids to remove and to add so that `before` becomes `after`. */
export function difference(
  before: readonly number[],
  after: readonly number[],
): { readonly removed: readonly number[]; readonly added: readonly number[] } {
  const had = new Set(before);
  const has = new Set(after);
  return { removed: before.filter((id) => !has.has(id)), added: after.filter((id) => !had.has(id)) };
}

/** The ids of two versions of the same app, if there are such; `apps` has the app of each version. */
export function findSameApp(apps: ReadonlyMap<number, number>): readonly [number, number] | undefined {
  const first = new Map<number, number>();
  for (const [version, app] of apps) {
    const other = first.get(app);
    if (other !== undefined) return [other, version];
    first.set(app, version);
  }
  return undefined;
}
