import { crc16Of, etagOfText, formatCrc16 } from '../../../platform/hashes.js';
import type { EffectiveParameter } from '../../fleet/setting/setting.model.js';
import { foldedCompany } from '../../people/company/company.model.js';
import type {
  Asset,
  Assets,
  ManifestApp,
  ManifestModule,
  Omission,
  RenderedManifest,
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
  const given = newestFirst(software.versions.get(numberId) ?? []);
  const apps = selected.takeVersions(given);
  const held = given.filter(({ id }) => apps.has(id));
  const modulesOf = (id: number): readonly StoredVersion[] => software.modules.get(id) ?? [];
  const modules = selected.takeVersions(newestFirst(distinct(held.flatMap(({ id }) => modulesOf(id)))));
  const ids = new Set([...apps.keys(), ...modules.keys()]);
  const files = distinct([...ids].flatMap((id) => software.files.get(id) ?? []));
  const labels = menuLabels(held.filter(({ displayable }) => displayable));
  return {
    apps: [...apps]
      .map(([id, app]) => ({
        ...app,
        label: labels.get(id) ?? 'X',
        modules: modulesOf(id)
          .flatMap((module) => (module.id === id ? [] : (modules.get(module.id) ?? [])))
          .toSorted(byName),
      }))
      .toSorted(byName),
    files: files.flatMap((file) => selected.take('file', file, file.name) ?? []).toSorted(byName),
    omissions: selected.omissions,
  };
}

type Stored = StoredVersion | StoredFile;

/** The selected assets by name, and the omitted ones. */
class Selected {
  readonly omissions: Omission[] = [];
  /** Version or file of each selected name. */
  readonly #byName = new Map<string, Stored>();

  constructor(private readonly prefix: string) {}

  takeVersions(versions: readonly StoredVersion[]): ReadonlyMap<number, ManifestModule> {
    const taken = new Map<number, ManifestModule>();
    for (const version of versions) {
      const asset = this.take('app', version, version.appName);
      if (asset) taken.set(version.id, { ...asset, type: version.language, version: version.number });
    }
    return taken;
  }

  take(kind: Omission['kind'], stored: Stored, name: string): Asset | undefined {
    const { size, crc, contentId, sha256 } = stored;
    const reason = this.#refusalOf(stored, name);
    if (reason === null && contentId !== null && sha256 !== null) {
      this.#byName.set(name, stored);
      const versionId = 'appName' in stored ? stored.id : null;
      return { name: this.prefix + name, size, crc, sha256, contentId, versionId };
    }
    const omission = { kind, name, reason: reason ?? 'no_bytes' } as const;
    const isKnown = this.omissions.some(
      (each) => each.kind === kind && each.name === name && each.reason === omission.reason,
    );
    if (!isKnown) this.omissions.push(omission);
    return undefined;
  }

  #refusalOf(stored: Stored, name: string): Omission['reason'] | null {
    if (!isAssetName(name)) return 'name';
    if (stored.contentId === null) return 'no_bytes';
    const taken = this.#byName.get(name);
    return taken === undefined || isSame(taken, stored) ? null : 'same_name';
  }
}

const isSame = (one: Stored, other: Stored): boolean =>
  one.id === other.id && 'appName' in one === 'appName' in other;

/** True if a name is without characters that end a list entry or a line, or form a path on the terminal. */
const isAssetName = (name: string): boolean => !/[,;"=/\\\p{Cc}]/u.test(name);

const newestFirst = (versions: readonly StoredVersion[]): readonly StoredVersion[] =>
  versions.toSorted((a, b) => b.id - a.id);

const distinct = <T extends { readonly id: number }>(all: readonly T[]): T[] => [
  ...new Map(all.map((each) => [each.id, each])).values(),
];

const compare = (one: string, other: string): number => (one < other ? -1 : 1);

const byName = (one: Asset, other: Asset): number => compare(one.name, other.name);

/** Labels by version id, such as `1 - Sale`: those without a number get the free ones, in alphabetical order. */
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

/** A manifest as terminals get it; `head` has the first members of its JSON. */
export function render(
  head: object,
  { apps, files, omissions }: Assets,
  parameters: readonly EffectiveParameter[],
): RenderedManifest {
  const { text: paramsDat, omissions: more } = paramsDatOf(apps, files, parameters);
  const bytes = Buffer.from(paramsDat);
  const text = JSON.stringify({
    ...head,
    parameters: parameters.map(({ key, value, source }) => ({ key, value, source: source.toLowerCase() })),
    apps: apps.map(appShape),
    files: files.map(fileShape),
    params_dat: { size: bytes.length, crc: formatCrc16(crc16Of(bytes)) },
  });
  return { apps, files, paramsDat, text, omissions: [...omissions, ...more], etag: etagOfText(text) };
}

/** All assets that a terminal may download, by name. */
export function assetsByName({ apps, files }: Assets): ReadonlyMap<string, Asset> {
  const all = [...files, ...apps.flatMap(({ modules }) => modules), ...apps];
  return new Map(all.map((asset) => [asset.name, asset]));
}

const fileShape = ({ name, size, crc, sha256 }: Asset) => ({ name, size, crc, sha256 });

const moduleShape = ({ name, type, version, size, crc, sha256 }: ManifestModule) => ({
  name,
  type,
  version,
  size,
  crc,
  sha256,
});

const appShape = ({ label, modules, ...app }: ManifestApp) => ({
  label,
  ...moduleShape(app),
  modules: modules.map(moduleShape),
});

/** Keys that terminals read as lists; parameters cannot have them. */
const LISTS: readonly string[] = ['apps_list', 'files_list'];

/**
 * The settings file of a terminal: lines of `key=value`, each ended by LF. Parameters that cannot stand in it
 * are left out: with `=`, outer quotes or control characters in the key, with the key of a list, and with
 * line breaks or other control characters (but tabs) in the value. A terminal drops spaces around a value and
 * one pair of outer quotes, so a value that has either is quoted.
 */
export function paramsDatOf(
  apps: readonly ManifestApp[],
  files: readonly Asset[],
  parameters: readonly EffectiveParameter[],
): { readonly text: string; readonly omissions: readonly Omission[] } {
  const omissions: Omission[] = [];
  const lines = [
    `apps_list=${listOf(withModules(apps).map(({ label, name, type, crc }) => [label, name, type, crc]))}`,
    `files_list=${listOf(files.map(({ name, crc }) => [name, crc]))}`,
  ];
  for (const { key, value } of parameters) {
    if (!canBeKey(key)) omissions.push({ kind: 'parameter', name: key, reason: 'key' });
    else if (!canBeValue(value)) omissions.push({ kind: 'parameter', name: key, reason: 'value' });
    else lines.push(`${key}=${quotedIfNeeded(value)}`);
  }
  return { text: lines.map((line) => `${line}\n`).join(''), omissions };
}

/** Modules are entries of their own, hidden; each once. */
function withModules(apps: readonly ManifestApp[]): readonly Omit<ManifestApp, 'modules'>[] {
  const names = new Set(apps.map(({ name }) => name));
  const modules = apps.flatMap((app) => app.modules).filter(({ name }) => !names.has(name));
  const byName = new Map(modules.map((module) => [module.name, { ...module, label: 'X' }]));
  return [...apps, ...byName.values()];
}

const listOf = (entries: readonly (readonly string[])[]): string =>
  entries.map((entry) => `${entry.join(',')};`).join('');

const canBeKey = (key: string): boolean => !/[=\p{Cc}]|^".*"$|^"$/u.test(key) && !LISTS.includes(key);

const canBeValue = (value: string): boolean => !/[^\P{Cc}\t]/u.test(value);

function quotedIfNeeded(value: string): string {
  const isQuoted = value.startsWith('"') && value.endsWith('"');
  return isQuoted || value.trim() !== value ? `"${value}"` : value;
}
