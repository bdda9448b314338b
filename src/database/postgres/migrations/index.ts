import type { Kysely } from 'kysely';

import type { Tables } from '../../tables/tables.js';
import { addCompanyTimeZones } from './company-time-zones.js';
import { addGroupDefaultVersions } from './default-versions.js';
import { addDevicePresence } from './device-presence.js';
import { addPaymentFigures } from './payment-figures.js';
import { createSchema } from '../schema/index.js';
import { keepReferencesByTerminal } from './references.js';
import { addRecordsOfTerminals } from './records-of-terminals.js';
import { addPresence } from './presence.js';
import { addRetention } from './retention.js';
import { addDeliveryStates } from './delivery-states.js';
import { addTerminalVersions } from './terminal-versions.js';
import { addTerminals } from './terminals.js';

/**
 * Applied in the order of their names. The first one corresponds to all SQLite migrations up to its number. A
 * released migration is never renamed, changed or removed.
 */
export const MIGRATIONS: Readonly<Record<string, (db: Kysely<Tables>) => Promise<void>>> = {
  '0013-schema': createSchema,
  '0015-group-default-versions': addGroupDefaultVersions,
  '0016-terminals': addTerminals,
  '0017-references-of-terminals': keepReferencesByTerminal,
  '0018-terminal-versions': addTerminalVersions,
  '0019-delivery-states': addDeliveryStates,
  '0021-presence': addPresence,
  '0022-payment-figures': addPaymentFigures,
  '0024-retention': addRetention,
  '0028-records-of-terminals': addRecordsOfTerminals,
  '0031-company-time-zones': addCompanyTimeZones,
  '0035-device-presence': addDevicePresence,
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
