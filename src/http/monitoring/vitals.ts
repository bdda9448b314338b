import type { Vitals } from '../../database/database.js';
import { snakeCase } from '../../platform/validate.js';
import type { Add } from './metric.js';

const HELP: Readonly<Record<keyof Vitals, string>> = {
  oldestTransactionSeconds:
    'Age of the oldest transaction in PostgreSQL that the user of the server may see.',
  oldestSnapshotIds:
    'Transactions that PostgreSQL has begun since the oldest snapshot, which keeps what they delete.',
  unfrozenIdsRatio:
    'Share of the transaction ids of PostgreSQL that are used up: at 1 it takes no more changes.',
  serverConnections:
    'Connections of all clients to PostgreSQL (used), and how many it allows to users (allowed).',
  standbyLagSeconds: 'Time by which a connected standby is behind.',
  standbyLagBytes: 'Write-ahead log that a connected standby has yet to apply.',
  slotRetainedBytes: 'Write-ahead log that PostgreSQL keeps for a replication slot.',
  deadRowsRatio: 'Share of dead rows in the ten largest tables of PostgreSQL, by its estimate.',
  clockAheadSeconds:
    'Time by which the clock of this node is ahead of that of PostgreSQL; negative if it is behind.',
  checkpointAgeSeconds: 'Time since changes were last copied from the write-ahead log into a SQLite file.',
  diskFreeBytes: 'Free room on the disk of a SQLite file.',
};

const LABELS: Partial<Readonly<Record<keyof Vitals, string>>> = {
  serverConnections: 'state',
  standbyLagSeconds: 'standby',
  standbyLagBytes: 'standby',
  slotRetainedBytes: 'slot',
  deadRowsRatio: 'table',
};

/** Adds a metric for each: `database_disk_free_bytes`. `shared` is for those of which each node gives the same number. */
export function addVitals(read: () => Promise<Partial<Vitals> | null>, gauge: Add, shared: Add): void {
  for (const [key, help] of Object.entries(HELP) as [keyof Vitals, string][]) {
    const add = key === 'clockAheadSeconds' ? gauge : shared;
    const nothing = LABELS[key] === undefined ? null : {};
    add(`database_${snakeCase(key)}`, help, async () => (await read())?.[key] ?? nothing, LABELS[key]);
  }
}
