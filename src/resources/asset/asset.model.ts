/** How far a version of an application has come. */
export interface Reach {
  /** Logical numbers that have the version. */
  readonly granted: number;
  /** Terminals that have downloaded its bytes. */
  readonly downloaded: number;
  /** Terminals that have it, as their last requests show. */
  readonly current: number;
}

/** What a terminal was sent when it asked for an asset. */
export interface AssetOutcome {
  /** As it was requested: any text. */
  readonly name: string;
  /** Application that runs on the terminal; null if the terminal did not name it. */
  readonly runningApp: string | null;
  readonly logicalNumber: string;
  readonly status: 'success' | 'fail';
  /** What became of the request, for example `not changed`. */
  readonly result: string;
  readonly startedAt: Date;
}

/** What a request for an asset shows of the bytes that the terminal has. */
export interface AssetEvidence {
  /** The bytes of the asset: it has got all of them with this request, or had them before. Null if it has not. */
  readonly has: 'downloaded' | 'shown' | null;
  /** Other bytes, which it named in `crc` or `If-None-Match`; null if it named none. */
  readonly other: { readonly crc: string | null } | null;
}
