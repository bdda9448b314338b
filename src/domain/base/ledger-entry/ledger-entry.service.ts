import { listOf } from '../../../database/list/list.js';
import { instant, json, nullable } from '../../../database/storage.js';
import type { Channel } from '../../../platform/caller.js';

/** The recorded changes of the caller's company, oldest first. */
/** A recorded change. */
export interface LedgerEntry {
  /** The sequence: it counts the entries of the company from 1, without gaps. */
  readonly id: number;
  readonly sequence: number;
  readonly at: Date;
  readonly companyId: number | null;
  readonly userId: number | null;
  readonly channel: Channel;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: number | null;
  readonly before: object | null;
  readonly after: object | null;
}

const state = nullable(json<object>());

export const ledgerEntries = listOf<'ledger', LedgerEntry>({
  name: 'LedgerEntry',
  isLarge: true,
  columns: {
    sequence: 'sequence',
    at: 'at',
    userId: 'user_id',
    channel: 'channel',
    action: 'action',
    entityType: 'entity_type',
    entityId: 'entity_id',
    before: 'before',
    after: 'after',
  },
  table: 'ledger',
  rows: 'ledger',
  id: 'sequence',
  orders: { SEQUENCE: 'sequence' },
  filters: {
    entityType: { column: 'entity_type', kind: 'text', order: 'SEQUENCE' },
    action: { column: 'action', kind: 'text', order: 'SEQUENCE' },
    entityId: { column: 'entity_id', kind: 'integer', narrows: true },
    actorId: { column: 'user_id', kind: 'id', order: 'SEQUENCE' },
    at: { column: 'at', kind: 'instant' },
  },
  recordOf: (row) => ({
    id: row.sequence,
    sequence: row.sequence,
    at: instant.fromColumn(row.at),
    companyId: row.company_id,
    userId: row.user_id,
    channel: row.channel === 'interface' ? 'interface' : 'api',
    action: row.action,
    entityType: row.entity_type,
    entityId: row.entity_id,
    before: state.fromColumn(row.before),
    after: state.fromColumn(row.after),
  }),
});

export const ledgerNewRows = ledgerEntries.newRows('ledger_of_company');
