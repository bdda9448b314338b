import type { EffectiveParameter } from '../../fleet/setting/setting.model.js';
import type { Language } from '../app/app.model.js';

/** Bytes that a terminal downloads by name. */
export interface Asset {
  /** Begins with the folded name of the company and an underscore: `acme_sale.posxml`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** CRC-16/XMODEM, 4 upper-case hexadecimal digits. */
  readonly crc: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly contentId: number;
  /** App version to which the bytecode belongs; null for a file. */
  readonly versionId: number | null;
}

/** App version of an application of kind module, which is a part of other versions. */
export interface ManifestModule extends Asset {
  readonly type: Language;
  readonly version: string;
}

export interface ManifestApp extends ManifestModule {
  /** Label in the menu, for example `1 - Sale`; `X` for an application that is hidden there. */
  readonly label: string;
  readonly modules: readonly ManifestModule[];
}

export type OmittedKind = 'app' | 'file' | 'parameter';
/** Why a terminal does not get an asset or a parameter. */
export type OmissionReason = 'no_bytes' | 'name' | 'same_name' | 'key' | 'value';

export interface Omission {
  readonly kind: OmittedKind;
  /** Name of the application or file, for example `sale.posxml`, or key of the parameter. */
  readonly name: string;
  readonly reason: OmissionReason;
}

/** Applications and files that a terminal downloads, and the omitted ones. */
export interface Assets {
  readonly apps: readonly ManifestApp[];
  readonly files: readonly Asset[];
  readonly omissions: readonly Omission[];
}

/** Software and parameters of a terminal. */
export interface Manifest extends Assets {
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumber: string;
  /** Name of the group; null if the logical number has none. */
  readonly group: string | null;
  readonly parameters: readonly EffectiveParameter[];
}

/** A manifest in the two forms that terminals request. */
export interface RenderedManifest extends Assets {
  /** JSON text. */
  readonly text: string;
  /** Strong ETag of `text`, with its quotes. */
  readonly etag: string;
  readonly paramsDat: string;
}

interface StoredBytes {
  readonly size: number;
  readonly crc: string;
  /** Null, like the sum, if there are no bytes: a version without bytecode. */
  readonly contentId: number | null;
  readonly sha256: string | null;
}

/** App version of a logical number, or a module of one. */
export interface StoredVersion extends StoredBytes {
  readonly id: number;
  readonly appName: string;
  readonly language: Language;
  readonly number: string;
  readonly displayable: boolean;
  readonly posDisplayLabel: string | null;
}

export interface StoredFile extends StoredBytes {
  readonly id: number;
  readonly name: string;
}

/** App versions, modules and files of logical numbers. */
export interface Software {
  /** By id of the logical number. */
  readonly versions: ReadonlyMap<number, readonly StoredVersion[]>;
  /** By version id: its modules, and the modules of these modules. */
  readonly modules: ReadonlyMap<number, readonly StoredVersion[]>;
  /** By version id. */
  readonly files: ReadonlyMap<number, readonly StoredFile[]>;
}

/** How far a version has come. */
export interface Reach {
  /** Logical numbers that have the version. */
  readonly granted: number;
  /** Terminals that have downloaded its bytes. */
  readonly downloaded: number;
  /** Terminals that have the version according to their latest requests. */
  readonly current: number;
}

/** Conclusions from a request for an asset about the bytes on the terminal. */
export interface AssetEvidence {
  /** `downloaded`: this request delivered the last bytes. `shown`: the terminal had them. Null if neither. */
  readonly has: 'downloaded' | 'shown' | null;
  /** CRC of other bytes that the terminal named in `crc` or `If-None-Match`; null if it named none. */
  readonly other: { readonly crc: string | null } | null;
}
