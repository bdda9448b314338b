import type { ChunkedContent } from '../platform/encoding/content-builder.js';

/** A multipart body that was read (contract 23). */
export interface Upload {
  /** Text fields by name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: UploadedFile | null;
}

export interface UploadedFile extends ChunkedContent {
  /** As sent, perhaps with folders; empty if the client sent none. */
  readonly fileName: string;
}
