import type { Kysely } from 'kysely';

import type { Tables } from '../tables/tables.js';
import { addGroupDefaultVersions } from './schema/default-versions.js';
import { addPaymentFigures } from './schema/payment-figures.js';
import { createSchema } from './schema/index.js';
import { keepReferencesByTerminal } from './schema/references.js';
import { addPresence } from './schema/presence.js';
import { addRetention } from './schema/retention.js';
import { addTransactionRollups } from './schema/rollups.js';
import { addDeliveryStates } from './schema/delivery-states.js';
import { addTerminalVersions } from './schema/terminal-versions.js';
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
  '0017-references-of-terminals': keepReferencesByTerminal,
  '0018-terminal-versions': addTerminalVersions,
  '0019-delivery-states': addDeliveryStates,
  '0021-presence': addPresence,
  '0022-payment-figures': addPaymentFigures,
  '0024-retention': addRetention,
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
