export type GrantMode = 'add' | 'remove' | 'replace_of_same_app';

/** Maximum changes of one transaction: other changes wait for it. */
const MAX_NUMBERS = 200;
const MAX_LINKS = 1_000;

/** App versions that many logical numbers get or lose. */
export interface VersionGrant {
  readonly mode: GrantMode;
  readonly appVersionIds: readonly number[];
}

/**
 * The versions of a logical number after a grant, ascending. `isOfGrantedApp` says whether a version belongs
 * to the app of one of the granted versions.
 */
export function versionsAfterGrant(
  { mode, appVersionIds }: VersionGrant,
  before: readonly number[],
  isOfGrantedApp: (appVersionId: number) => boolean,
): readonly number[] {
  const granted = new Set(appVersionIds);
  if (mode === 'remove') return before.filter((id) => !granted.has(id));
  const kept = mode === 'add' ? before : before.filter((id) => !isOfGrantedApp(id));
  return [...new Set([...kept, ...appVersionIds])].sort((one, other) => one - other);
}

/** The logical numbers in parts, each for one transaction: at most 200 numbers and some 1,000 links. */
export function partsOf(
  logicalNumberIds: readonly number[],
  { appVersionIds }: VersionGrant,
): readonly (readonly number[])[] {
  const fitting = Math.floor(MAX_LINKS / Math.max(appVersionIds.length, 1));
  const size = Math.max(1, Math.min(MAX_NUMBERS, fitting));
  const count = Math.ceil(logicalNumberIds.length / size);
  return Array.from({ length: count }, (_, part) => logicalNumberIds.slice(part * size, (part + 1) * size));
}
