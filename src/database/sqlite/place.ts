import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The one path of a file, whichever links lead to it; also of one that is still to be made. */
export function realPlace(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}

/** 0 where there is no such file. */
export function fileBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The write-ahead log that belongs to a database file. */
export function logOf(file: string): string {
  return `${realPlace(file)}-wal`;
}

/** What the engine leaves behind where a process died while it made or changed a file without a log. */
export function journalOf(file: string): string {
  return `${realPlace(file)}-journal`;
}

const COMPARED_BYTES = 1024 * 1024;

/** Compares piece by piece: a database may be larger than the memory. */
export function sameBytes(one: string, other: string): boolean {
  if (fileBytes(one) !== fileBytes(other)) return false;
  const descriptors = [openSync(one, 'r'), openSync(other, 'r')] as const;
  const pieces = descriptors.map(() => Buffer.alloc(COMPARED_BYTES)) as [Buffer, Buffer];
  try {
    for (;;) {
      const [read = 0] = descriptors.map((from, place) => readSync(from, pieces[place] ?? pieces[0]));
      if (read === 0) return true;
      if (!pieces[0].equals(pieces[1])) return false;
    }
  } finally {
    descriptors.forEach(closeSync);
  }
}

const openHere = new Map<string, number>();

/**
 * Remembers that this process has a file open until the returned function is called. While it has, the file must
 * not be opened by any other means: closing it again would end the engine's locks on it.
 */
export function markOpen(file: string): () => void {
  const place = realPlace(file);
  openHere.set(place, (openHere.get(place) ?? 0) + 1);
  let open = true;
  return () => {
    if (open) openHere.set(place, (openHere.get(place) ?? 1) - 1);
    open = false;
  };
}

export function isOpenHere(file: string): boolean {
  return existsSync(file) && (openHere.get(realPlace(file)) ?? 0) > 0;
}
