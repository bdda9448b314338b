import type { Migration } from 'kysely/migration';

import { up as initial } from './0001-initial.js';
import { up as lists } from './0002-lists.js';
import { up as dashboards } from './0003-dashboards.js';

/** Applied in the order of their names. A released migration is never changed, renamed or removed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': { up: initial },
  '0002-lists': { up: lists },
  '0003-dashboards': { up: dashboards },
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
