import type { Migration } from 'kysely/migration';

import { up as initial } from './0001-initial.js';
import { up as lists } from './0002-lists.js';
import { up as dashboards } from './0003-dashboards.js';
import { up as transactions } from './0004-transactions.js';
import { up as ledgerEntities } from './0005-ledger-entities.js';
import { up as members } from './0006-members.js';
import { up as signInNetworks } from './0008-sign-in-networks.js';
import { up as removals } from './0009-removals.js';
import { up as idsByCompany } from './0010-ids-by-company.js';
import { up as ledgerChain } from './0011-ledger-chain.js';
import { up as rowTotals } from './0012-row-totals.js';
import { up as queuedDeliveries } from './0013-queued-deliveries.js';
import { up as groupDefaultVersions } from './0015-group-default-versions.js';
import { up as terminals } from './0016-terminals.js';
import { up as deliveryStates } from './0019-delivery-states.js';
import { up as referencesOfTerminals } from './0017-references-of-terminals.js';
import { up as terminalVersions } from './0018-terminal-versions.js';
import { up as presence } from './0021-presence.js';
import { up as paymentFigures } from './0022-payment-figures.js';
import { up as retention } from './0024-retention.js';
import { up as drawnIds } from './0025-drawn-ids.js';
import { up as failedTransactions } from './0026-failed-transactions.js';
import { up as companyTimeZones } from './0031-company-time-zones.js';
import { up as devicePresence } from './0035-device-presence.js';
import { up as recordsOfTerminals } from './0028-records-of-terminals.js';

/** Applied in the order of their names. A released migration is never renamed, changed or removed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-initial': { up: initial },
  '0002-lists': { up: lists },
  '0003-dashboards': { up: dashboards },
  '0004-transactions': { up: transactions },
  '0005-ledger-entities': { up: ledgerEntities },
  '0006-members': { up: members },
  '0008-sign-in-networks': { up: signInNetworks },
  '0009-removals': { up: removals },
  '0010-ids-by-company': { up: idsByCompany },
  '0011-ledger-chain': { up: ledgerChain },
  '0012-row-totals': { up: rowTotals },
  '0013-queued-deliveries': { up: queuedDeliveries },
  '0015-group-default-versions': { up: groupDefaultVersions },
  '0016-terminals': { up: terminals },
  '0017-references-of-terminals': { up: referencesOfTerminals },
  '0018-terminal-versions': { up: terminalVersions },
  '0019-delivery-states': { up: deliveryStates },
  '0021-presence': { up: presence },
  '0022-payment-figures': { up: paymentFigures },
  '0024-retention': { up: retention },
  '0025-drawn-ids': { up: drawnIds },
  '0026-failed-transactions': { up: failedTransactions },
  '0028-records-of-terminals': { up: recordsOfTerminals },
  '0031-company-time-zones': { up: companyTimeZones },
  '0035-device-presence': { up: devicePresence },
};

export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS).sort();
