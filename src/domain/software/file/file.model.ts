import { z } from 'zod';

import type { SentContent } from '../../../platform/encoding/content.js';
import { invalidFields } from '../../../platform/errors.js';
import { type BrokenRule, problemOf, rule } from '../../../platform/rules.js';
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
  const broken = brokenByName(name);
  if (broken !== undefined) throw invalidFields({ name: [problemOf(broken)] });
  return name;
}

function brokenByName(name: string): BrokenRule | undefined {
  if (name === '') return rule('is required: {advice}', { advice: 'the file part must carry a file name' });
  if (name === '.' || name === '..') return rule('must not be the name of a folder');
  if (Buffer.byteLength(name) > MAX_BYTES)
    return rule('must have at most {maximum} bytes', { maximum: MAX_BYTES });
  if (!isNameLike(name)) return rule('must not contain control or invisible characters');
  if (name.trim() !== name) return rule('must not begin or end with a space');
  // Command-line tools would take such a name for an option.
  if (name.startsWith('-')) return rule('must not begin with a dash');
  return undefined;
}
