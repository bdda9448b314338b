import type { Kysely } from 'kysely';

import type { Tables } from '../tables/tables.js';
import { addGroupDefaultVersions } from './schema/default-versions.js';
import { createSchema } from './schema/index.js';
import { addTransactionRollups } from './schema/rollups.js';
import { addDeliveryStates } from './schema/delivery-states.js';
import { addTerminals } from './schema/terminals.js';

/**
 * Applied in the order of their names. The first one makes what the migrations of a file up to this number make together.
 * A released migration is never renamed, changed or removed.
 */
export const MIGRATIONS: Readonly<Record<string, (db: Kysely<Tables>) => Promise<void>>> = {
  '0013-schema': createSchema,
  '0014-transaction-rollups': addTransactionRollups,
  '0015-group-default-versions': addGroupDefaultVersions,
  '0016-terminals': addTerminals,
  '0019-delivery-states': addDeliveryStates,
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
