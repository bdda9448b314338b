import { closeSync, futimesSync, openSync, statSync } from 'node:fs';

import { SECOND, type Clock } from './clock.js';

const OWNER_ONLY = 0o600;

/** The file whose time is that of the last backup. */
const pathOf = (databaseFile: string): string => `${databaseFile}.last-backup`;

/** Notes beside the database that it was backed up. Errors: those of the operating system. */
export function noteBackup(databaseFile: string, { now }: Pick<Clock, 'now'>): void {
  const descriptor = openSync(pathOf(databaseFile), 'a', OWNER_ONLY);
  try {
    futimesSync(descriptor, now(), now());
  } finally {
    closeSync(descriptor);
  }
}

/** Null if there was no backup. */
export function backupAgeSeconds(databaseFile: string, { now }: Pick<Clock, 'now'>): number | null {
  const noted = statSync(pathOf(databaseFile), { throwIfNoEntry: false });
  return noted === undefined ? null : Math.max(0, (now().getTime() - noted.mtimeMs) / SECOND);
}
