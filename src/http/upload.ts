/** What a multipart body brought (contract 23). */
export interface Upload {
  /** Text fields by name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: UploadedFile | null;
}

export interface UploadedFile {
  /** As the client sent it, empty where it sent none; the domain makes a name of it. */
  readonly fileName: string;
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  readonly crc: string;
  readonly sha256: string;
}
