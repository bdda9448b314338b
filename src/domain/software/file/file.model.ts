import { z } from 'zod';

import type { SentContent } from '../../../platform/encoding/content.js';
import { invalid } from '../../../platform/errors.js';
import type { RuleMessage } from '../../../platform/rules.js';
import { type Audit, freeText, isNameLike, normalized } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

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
export type SentFile = SentContent & { readonly fileName: string };

/** The name is a base file name, unique in the company. */
export type File = RecordOf<'files', Audit & z.output<typeof FileFields>>;

const MAX_BYTES = 255;

/** The part of a sent file name after the last `/` or `\\`, without a drive (contract 23). Errors: `invalid`. */
export function fileNameOf(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? '';
  const name = normalized(base.replace(/^(?:[A-Za-z]:)+/, ''));
  const problem = problemOf(name);
  if (problem !== undefined) throw invalid('name', problem);
  return name;
}

function problemOf(name: string): RuleMessage | undefined {
  if (name === '') return 'is required: the file part must carry a file name';
  if (name === '.' || name === '..') return 'must not be the name of a folder';
  if (Buffer.byteLength(name) > MAX_BYTES) return `must have at most ${MAX_BYTES} bytes`;
  if (!isNameLike(name)) return 'must not contain control or invisible characters';
  if (name.trim() !== name) return 'must not begin or end with a space';
  // Command-line tools would take such a name for an option.
  if (name.startsWith('-')) return 'must not begin with a dash';
  return undefined;
}
