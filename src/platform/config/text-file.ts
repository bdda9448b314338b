import { readFileSync } from 'node:fs';

/** Errors: an `Error` with the path and the system's code, for example `ENOENT`. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause: error,
    });
  }
}
