import { closeSync, futimesSync, openSync, statSync } from 'node:fs';

import { SECOND, type Clock } from '../clock.js';

const OWNER_ONLY = 0o600;

/**
 * Sets the modification time of the file to now: it is the time of the last backup. Errors: those of the
 * operating system.
 */
export function noteBackup(path: string, { now }: Pick<Clock, 'now'>): void {
  const descriptor = openSync(path, 'a', OWNER_ONLY);
  try {
    futimesSync(descriptor, now(), now());
  } finally {
    closeSync(descriptor);
  }
}

/** Age of the last backup; null if there was none. */
export function backupAgeSeconds(path: string, { now }: Pick<Clock, 'now'>): number | null {
  const noted = statSync(path, { throwIfNoEntry: false });
  return noted === undefined ? null : Math.max(0, (now().getTime() - noted.mtimeMs) / SECOND);
}
