import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import type { Channel } from '../../../platform/caller.js';

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

const HIDDEN = ['company_id', 'position', 'token_id', 'request_id', 'ip', 'hash'] as const;
type Shown = Omit<LedgerEntry, 'id' | 'companyId'>;
const { columns, recordOf } = recordMapping<'ledger', Shown, (typeof HIDDEN)[number]>('ledger', HIDDEN);

/** The recorded changes of the caller's company, oldest first. */
export const ledgerEntries = listOf<'ledger', LedgerEntry>({
  name: 'LedgerEntry',
  isLarge: true,
  columns,
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
  recordOf: (row) => ({ ...recordOf(row), id: row.sequence, companyId: row.company_id }),
});

export const ledgerNewRows = ledgerEntries.newRows('ledger_of_company');
