import { z } from 'zod';

import type { Audit } from '../../../platform/changes/changes.js';
import { freeText } from '../../../platform/encoding/text.js';
import type { NewContent } from '../content/content.model.js';

export const FILE_TYPES = ['asset', 'torrent'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** Fields of a file that clients set, besides its bytes. */
const FileFields = z.object({ description: freeText(4_000).nullable(), fileType: z.enum(FILE_TYPES) });

export const FileUpdate = FileFields.partial();
export const FileCreate = z.object({
  ...FileUpdate.shape,
  fileType: FileFields.shape.fileType.default('asset'),
});

/** Uploaded bytes with their file name as sent; empty if the client gave none. */
export type SentFile = NewContent & { readonly fileName: string };

export interface File extends Audit, Readonly<z.output<typeof FileFields>> {
  readonly id: number;
  /** Base file name, unique in the company. */
  readonly name: string;
  readonly contentId: number;
  readonly size: number;
  readonly crc: string;
}
