import { readFileSync } from 'node:fs';

import { fileCause } from '../storage/file-errors.js';

/** Errors: an `Error` with the path and the cause. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${fileCause(error, file) ?? 'unknown'})`, { cause: error });
  }
}
