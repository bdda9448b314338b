import { isNameLike, normalized } from '../../../platform/encoding/text.js';

const MAX_BYTES = 255;

/**
 * The base name of a file name that a client sent (contract 23): the part after the last `/` or `\\`, without
 * a drive. `problem` if it is not acceptable.
 */
export function fileNameOf(sent: string): { readonly name: string } | { readonly problem: string } {
  const base = sent.split(/[/\\]/).at(-1) ?? '';
  const name = normalized(base.replace(/^(?:[A-Za-z]:)+/, ''));
  const problem = problemOf(name);
  return problem === undefined ? { name } : { problem };
}

function problemOf(name: string): string | undefined {
  if (name === '') return 'is required: the file part must carry a file name';
  if (name === '.' || name === '..') return 'must not be the name of a folder';
  if (Buffer.byteLength(name) > MAX_BYTES) return `must have at most ${MAX_BYTES} bytes`;
  if (!isNameLike(name)) return 'must not contain control or invisible characters';
  if (name.trim() !== name) return 'must not begin or end with a space';
  // Command-line tools would take such a name for an option.
  if (name.startsWith('-')) return 'must not begin with a dash';
  return undefined;
}
