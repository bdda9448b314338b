import { crc16Of, formatCrc16, etagOfText } from '../../../platform/encoding/checksum.js';
import type { EffectiveParameter } from '../../fleet/setting/setting.model.js';
import type {
  Asset,
  Assets,
  Manifest,
  ManifestApp,
  ManifestModule,
  Omission,
  RenderedManifest,
} from './manifest.model.js';

/** A manifest as terminals get it. */
export function render(manifest: Manifest): RenderedManifest {
  const { apps, files, parameters } = manifest;
  const { text: paramsDat, omissions } = paramsDatOf(apps, files, parameters);
  const text = textOf(manifest, paramsDat);
  return {
    apps,
    files,
    paramsDat,
    text,
    omissions: [...manifest.omissions, ...omissions],
    etag: etagOfText(text),
  };
}

/** All assets that a terminal may download, by name. */
export function assetsByName({ apps, files }: Assets): ReadonlyMap<string, Asset> {
  const all = [...files, ...apps.flatMap(({ modules }) => modules), ...apps];
  return new Map(all.map((asset) => [asset.name, asset]));
}

function textOf(manifest: Manifest, paramsDat: string): string {
  const { serialNumber, enabled, logicalNumber, group, parameters, apps, files } = manifest;
  const bytes = Buffer.from(paramsDat);
  return JSON.stringify({
    device: { serial_number: serialNumber, enabled },
    logical_number: logicalNumber,
    group,
    parameters: parameters.map(({ key, value, source }) => ({ key, value, source: source.toLowerCase() })),
    apps: apps.map(appShape),
    files: files.map(fileShape),
    params_dat: { size: bytes.length, crc: formatCrc16(crc16Of(bytes)) },
  });
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
