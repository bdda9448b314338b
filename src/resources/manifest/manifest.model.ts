import type { Language } from '../app/app.model.js';
import type { EffectiveParameter } from '../parameter/parameter.model.js';

/** Bytes that a terminal gets by name. */
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
  /** The app version whose bytecode it is; null for a file. */
  readonly versionId: number | null;
}

/** An app version of kind module, which is a part of others. */
export interface ManifestModule extends Asset {
  readonly type: Language;
  readonly version: string;
}

export interface ManifestApp extends ManifestModule {
  /** `1 - Sale` as it stands in the menu, or `X` for an application that is hidden there. */
  readonly label: string;
  readonly modules: readonly ManifestModule[];
}

export type OmittedKind = 'app' | 'file' | 'parameter';
/** Why a terminal does not get something. */
export type OmissionReason = 'no_bytes' | 'name' | 'same_name' | 'key' | 'value';

export interface Omission {
  readonly kind: OmittedKind;
  /** Of the record: `sale.posxml`, or the key of a parameter. */
  readonly name: string;
  readonly reason: OmissionReason;
}

/** What a terminal gets to download. */
export interface Assets {
  readonly apps: readonly ManifestApp[];
  readonly files: readonly Asset[];
  readonly omissions: readonly Omission[];
}

/** What a terminal gets. */
export interface Manifest extends Assets {
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumber: string;
  /** Name of the group; null if the logical number has none. */
  readonly group: string | null;
  readonly parameters: readonly EffectiveParameter[];
}

/** A manifest in the forms in which terminals get it. */
export interface RenderedManifest extends Assets {
  /** JSON text. */
  readonly text: string;
  /** Of `text`, strong, with its quotes. */
  readonly etag: string;
  readonly paramsDat: string;
}

interface StoredBytes {
  readonly size: number;
  readonly crc: string;
  /** Null if there are no bytes, as for a version without bytecode. */
  readonly bytes: { readonly contentId: number; readonly sha256: string } | null;
}

/** An app version that a logical number has, or a module of one. */
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

/** What belongs to the app versions of logical numbers. */
export interface Software {
  /** By logical number. */
  readonly versions: ReadonlyMap<number, readonly StoredVersion[]>;
  /** By version: its modules, and the modules of these. */
  readonly modules: ReadonlyMap<number, readonly StoredVersion[]>;
  /** By version. */
  readonly files: ReadonlyMap<number, readonly StoredFile[]>;
}
