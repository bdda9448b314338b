import { HOUR } from '../../../platform/clock.js';
import type { RecordOf } from '../../../schema/schema.js';
import type { SOFTWARE_STATES } from '../../../schema/software.js';
import type { Presence } from '../../fleet/device/device.model.js';
import type { AppVersion, Language } from '../app/app.model.js';

/** Bytes that a terminal downloads by name. */
export interface Asset {
  /** Begins with the folded name of the company and an underscore: `acme_sale.posxml`. */
  readonly name: string;
  readonly size: number;
  readonly crc: string;
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

/** An asset or parameter that a terminal does not get. */
export interface Omission {
  readonly kind: 'app' | 'file' | 'parameter';
  /** Name of the application or file, for example `sale.posxml`, or key of the parameter. */
  readonly name: string;
  readonly reason: 'no_bytes' | 'name' | 'same_name' | 'key' | 'value';
}

/** Applications and files that a terminal downloads, and the omitted ones. */
export interface Assets {
  readonly apps: readonly ManifestApp[];
  readonly files: readonly Asset[];
  readonly omissions: readonly Omission[];
}

/** A manifest in the two forms that terminals request. */
export interface RenderedManifest extends Assets {
  /** JSON text. */
  readonly text: string;
  /** Strong ETag of `text`, with its quotes. */
  readonly etag: string;
  readonly paramsDat: string;
}

/** App version of a logical number, or a module of one; without bytecode, the content and its sum are null. */
export interface StoredVersion extends Pick<
  AppVersion,
  'id' | 'number' | 'displayable' | 'posDisplayLabel' | 'size' | 'crc' | 'contentId'
> {
  readonly appName: string;
  readonly language: Language;
  readonly sha256: string | null;
}

export interface StoredFile extends Pick<StoredVersion, 'id' | 'size' | 'crc' | 'contentId' | 'sha256'> {
  readonly name: string;
}

export interface Software {
  /** Versions by the id of the logical number. */
  readonly versions: ReadonlyMap<number, readonly StoredVersion[]>;
  /** Modules by version id, and the modules of these modules. */
  readonly modules: ReadonlyMap<number, readonly StoredVersion[]>;
  readonly files: ReadonlyMap<number, readonly StoredFile[]>;
}

/** A file or the settings file on a terminal, as far as is known. */
export interface TerminalFile {
  readonly name: string;
  /** Null, like `since`, if it never asked for the file. */
  readonly crc: string | null;
  /** First request with this CRC. */
  readonly since: Date | null;
  /** True if it is the one that the terminal gets now. */
  readonly isCurrent: boolean;
}

/** Name of the settings file; names of other assets have an underscore. */
export const PARAMS_DAT = 'params.dat';

/** Number of logical numbers that have a version, and of devices by what is known of it on their terminals. */
export const NO_REACH = { granted: 0, downloaded: 0, current: 0, installed: 0, proven: 0, failed: 0 };

/** The reach of the version with the id. */
export type Reach = Readonly<typeof NO_REACH & { id: number }>;

type StoredState = (typeof SOFTWARE_STATES)[number];

/** An app version on the terminal of a device, and its state. */
export type HeldVersion = RecordOf<'terminal_versions', { state: StoredState }, 'company_id' | 'sequence'>;

/** Milliseconds after which a version that a terminal has not downloaded since it was granted is overdue. */
export const OVERDUE_AFTER = 24 * HOUR;

/** A state as it is shown: `overdue` is `granted` for longer than `OVERDUE_AFTER`. */
export type SoftwareState = StoredState | 'overdue';

/** An app version on the terminal of a device, as it is shown. */
export interface TerminalSoftware extends Omit<HeldVersion, 'state'> {
  readonly state: SoftwareState;
}

/** A change of a state, at the position `id` among those of the company. */
export interface SoftwareChange {
  readonly id: number;
  readonly software: TerminalSoftware;
}

/** Conditions on terminals of a version, joined by AND; null is no condition. */
export interface TerminalFilter {
  readonly state?: SoftwareState | null | undefined;
  readonly groupId?: number | null;
  readonly presence?: Presence | null | undefined;
  readonly reason?: string | null | undefined;
}

/** Conclusions about an asset on a terminal, from a request for it or from a report of its installation. */
export interface AssetEvidence {
  /** `downloaded`: a request delivered the last bytes. `shown`: the terminal named these bytes. Null if none of all. */
  readonly kind: 'downloaded' | 'shown' | 'installed' | 'failed' | null;
  /** CRC of other bytes that the terminal named in `crc` or `If-None-Match`; null if it named none. */
  readonly other: { readonly crc: string | null } | null;
  /** Code and text of a failed installation. */
  readonly reason?: string | null;
  readonly detail?: string | null;
}
