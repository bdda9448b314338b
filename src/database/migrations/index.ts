import type { Migration } from 'kysely/migration';

import { up as initial } from './0001-initial.js';
import { up as lists } from './0002-lists.js';
import { up as dashboards } from './0003-dashboards.js';

/** In order of name; a name that has been released never changes and never goes. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': { up: initial },
  '0002-lists': { up: lists },
  '0003-dashboards': { up: dashboards },
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
