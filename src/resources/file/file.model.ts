import { z } from 'zod';

import type { Audit } from '../../platform/audit.js';
import { freeText } from '../../platform/text.js';
import type { NewContent } from '../content/content.model.js';

export const FILE_TYPES = ['asset', 'torrent'] as const;
export type FileType = (typeof FILE_TYPES)[number];

const fileType = z.enum(FILE_TYPES);
const description = freeText(4_000).nullable();

export const FileCreate = z.object({
  description: description.optional(),
  fileType: fileType.default('asset'),
});

export const FileUpdate = z.object({ description: description.optional(), fileType: fileType.optional() });

/** Bytes as a client sent them. */
export interface SentFile extends NewContent {
  /** As sent; empty where the client gave none. */
  readonly fileName: string;
}

export interface File extends Audit {
  readonly id: number;
  /** Base file name, unique in the company. */
  readonly name: string;
  readonly fileType: FileType;
  readonly description: string | null;
  readonly contentId: number;
  readonly size: number;
  readonly crc: string;
}
