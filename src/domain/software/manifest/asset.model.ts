/** Number of logical numbers and terminals that have a version of an application. */
export interface Reach {
  /** Logical numbers that have the version. */
  readonly granted: number;
  /** Terminals that have downloaded its bytes. */
  readonly downloaded: number;
  /** Terminals that have the version according to their latest requests. */
  readonly current: number;
}

/** Response to a terminal's request for an asset. */
export interface AssetOutcome {
  /** Requested name; any text. */
  readonly name: string;
  /** Application that runs on the terminal; null if the terminal did not name it. */
  readonly runningApp: string | null;
  readonly logicalNumber: string;
  readonly status: 'success' | 'fail';
  /** Result of the request, for example `not changed`. */
  readonly result: string;
  readonly startedAt: Date;
}

/** Conclusions from a request for an asset about the bytes on the terminal. */
export interface AssetEvidence {
  /** `downloaded`: this request delivered the last bytes. `shown`: the terminal had them. Null if neither. */
  readonly has: 'downloaded' | 'shown' | null;
  /** CRC of other bytes that the terminal named in `crc` or `If-None-Match`; null if it named none. */
  readonly other: { readonly crc: string | null } | null;
}
