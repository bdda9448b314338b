import type { Migration } from 'kysely/migration';

import * as initial from './0001-initial.js';

/** In order of name; a name that has been released never changes and never goes. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
