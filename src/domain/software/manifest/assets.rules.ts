import { foldedCompany } from '../../people/company/company.model.js';
import type {
  Asset,
  Assets,
  ManifestApp,
  ManifestModule,
  Omission,
  OmissionReason,
  OmittedKind,
  Software,
  StoredFile,
  StoredVersion,
} from './manifest.model.js';

/**
 * Assets that a logical number can download. If several have the same name, an application wins over a
 * module, a module over a file, and the version that was created last over others. Assets with an invalid
 * name are omitted, not refused: when `/v1` stores a name, it is unknown whether a terminal gets it, and the
 * responses of `/v1` do not change.
 */
export function assetsOfNumber(software: Software, numberId: number, companyName: string): Assets {
  const selected = new Selected(`${foldedCompany(companyName)}_`);
  const newestFirst = (software.versions.get(numberId) ?? []).toSorted((a, b) => b.id - a.id);
  const apps = newestFirst.flatMap((version) => selected.take('app', version, version.appName) ?? []);
  const held = apps.map(({ version }) => version);
  const modules = modulesOf(held, software, selected);
  const all = [...held, ...[...modules.values()].flat().map(({ version }) => version)];
  const files = distinct(all.flatMap(({ id }) => software.files.get(id) ?? []));
  return {
    apps: labelled(apps, modules),
    files: files
      .flatMap((file) => selected.take('file', file, file.name)?.asset ?? [])
      .toSorted((a, b) => compare(a.name, b.name)),
    omissions: selected.omissions,
  };
}

interface TakenVersion {
  readonly version: StoredVersion;
  readonly asset: Asset;
}

/** The selected assets by name, and the omitted ones. */
class Selected {
  readonly omissions: Omission[] = [];
  /** Version or file of each selected name. */
  readonly #byName = new Map<string, StoredVersion | StoredFile>();

  constructor(private readonly prefix: string) {}

  take<S extends StoredVersion | StoredFile>(
    kind: OmittedKind,
    stored: S,
    name: string,
  ): { readonly version: S; readonly asset: Asset } | undefined {
    const { size, crc, contentId, sha256 } = stored;
    const reason = this.#refusalOf(stored, name);
    if (reason !== null || contentId === null || sha256 === null) {
      this.#omit(kind, name, reason ?? 'no_bytes');
      return undefined;
    }
    this.#byName.set(name, stored);
    const versionId = 'appName' in stored ? stored.id : null;
    return { version: stored, asset: { name: this.prefix + name, size, crc, sha256, contentId, versionId } };
  }

  #refusalOf(stored: StoredVersion | StoredFile, name: string): OmissionReason | null {
    if (!isAssetName(name)) return 'name';
    if (stored.contentId === null) return 'no_bytes';
    const taken = this.#byName.get(name);
    return taken === undefined || isSame(taken, stored) ? null : 'same_name';
  }

  #omit(kind: OmittedKind, name: string, reason: OmissionReason): void {
    const isKnown = this.omissions.some(
      (each) => each.kind === kind && each.name === name && each.reason === reason,
    );
    if (!isKnown) this.omissions.push({ kind, name, reason });
  }
}

const isSame = (one: StoredVersion | StoredFile, other: StoredVersion | StoredFile): boolean =>
  one.id === other.id && 'appName' in one === 'appName' in other;

/** Whether a name is without characters that end a list entry or a line, or form a path on the terminal. */
const isAssetName = (name: string): boolean => !/[,;"=/\\\p{Cc}]/u.test(name);

/** Modules of each version that the number has, by version id. */
function modulesOf(
  held: readonly StoredVersion[],
  software: Software,
  selected: Selected,
): ReadonlyMap<number, readonly TakenVersion[]> {
  const all = distinct(held.flatMap(({ id }) => software.modules.get(id) ?? []));
  const newestFirst = all.toSorted((a, b) => b.id - a.id);
  const taken = new Map(
    newestFirst.flatMap((module) => {
      const asset = selected.take('app', module, module.appName);
      return asset === undefined ? [] : [[module.id, asset] as const];
    }),
  );
  return new Map(
    held.map(({ id }) => [
      id,
      (software.modules.get(id) ?? [])
        .flatMap((module) => (module.id === id ? [] : (taken.get(module.id) ?? [])))
        .toSorted((a, b) => compare(a.asset.name, b.asset.name)),
    ]),
  );
}

const distinct = <T extends { readonly id: number }>(all: readonly T[]): T[] => [
  ...new Map(all.map((each) => [each.id, each])).values(),
];

const compare = (one: string, other: string): number => (one < other ? -1 : 1);

const moduleOf = ({ version: { language, number }, asset }: TakenVersion): ManifestModule => ({
  ...asset,
  type: language,
  version: number,
});

/** Applications with menu labels, sorted by name. The label is `X` for those that are not in the menu. */
function labelled(
  apps: readonly TakenVersion[],
  modules: ReadonlyMap<number, readonly TakenVersion[]>,
): readonly ManifestApp[] {
  const labels = menuLabels(apps.map(({ version }) => version).filter(({ displayable }) => displayable));
  return apps
    .map((app) => ({
      ...moduleOf(app),
      label: labels.get(app.version.id) ?? 'X',
      modules: (modules.get(app.version.id) ?? []).map(moduleOf),
    }))
    .toSorted((a, b) => compare(a.name, b.name));
}

/**
 * Menu labels by version id, for example `1 - Sale`. A label that has a number keeps it; the others are
 * numbered from 1 in alphabetical order, without the numbers that are in use.
 */
export function menuLabels(inMenu: readonly StoredVersion[]): ReadonlyMap<number, string> {
  const sorted = inMenu
    .map((version) => ({ id: version.id, label: labelOf(version) }))
    .toSorted((a, b) => compare(a.label, b.label));
  const taken = new Set(sorted.map(({ label }) => numberOf(label)));
  let number = 0;
  return new Map(
    sorted.map(({ id, label }) => {
      if (numberOf(label) !== undefined) return [id, label];
      do number += 1;
      while (taken.has(String(number)));
      return [id, `${number} - ${label}`];
    }),
  );
}

/** Number of a label without leading zeros: `1` for `01 - Sale`; undefined if it has none. */
const numberOf = (label: string): string | undefined => /^0*(\d+) - ./.exec(label)?.[1];

/** Label without invalid characters. Defaults to the name of the application without its suffix. */
function labelOf({ posDisplayLabel, appName }: StoredVersion): string {
  const label = (posDisplayLabel ?? '').replace(/[,;"\s\p{Cc}]+/gu, ' ').trim();
  return label === '' ? appName.replace(/\.(?:posxml|rb)$/i, '') : label;
}
