import { crc16Of, formatCrc16 } from '../../../platform/encoding/crc16.js';
import { etagOfText } from '../../../platform/encoding/etag.js';
import type {
  Asset,
  Assets,
  Manifest,
  ManifestApp,
  ManifestModule,
  RenderedManifest,
} from './manifest.model.js';
import { paramsDatOf } from './params-dat.rules.js';

/** A manifest as terminals get it. */
export function render(manifest: Manifest): RenderedManifest {
  const { apps, files, parameters } = manifest;
  const { text: paramsDat, omissions } = paramsDatOf(apps, files, parameters);
  const text = textOf(manifest, paramsDat);
  return {
    ...{ apps, files, paramsDat, text },
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
  ...{ name, type, version, size, crc, sha256 },
});

const appShape = ({ label, modules, ...app }: ManifestApp) => ({
  label,
  ...moduleShape(app),
  modules: modules.map(moduleShape),
});
