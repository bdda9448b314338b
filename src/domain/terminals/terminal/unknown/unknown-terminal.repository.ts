import { sql } from 'kysely';

import { CompanyRows } from '../../../../database/company/company-rows.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { listOf } from '../../../../database/list/list.js';
import { instant } from '../../../../database/storage.js';
import type { CompanyWriteWork, ReadWork } from '../../../../database/work.js';
import type { Row } from '../../../../schema/schema.js';
import type { UnknownTerminal } from './unknown-terminal.model.js';

const table = new CompanyRows('unknown_terminals');

const terminalOf = (row: Row<'unknown_terminals'>): UnknownTerminal => ({
  id: row.id,
  serialNumber: row.serial_number,
  firstSeenAt: instant.fromColumn(row.first_seen_at),
  lastSeenAt: instant.fromColumn(row.last_seen_at),
  count: row.count,
});

export const unknownTerminals = listOf<'unknown_terminals', UnknownTerminal>({
  name: 'UnknownTerminal',
  table: 'unknown_terminals',
  rows: 'unknown_terminals',
  id: 'id',
  columns: {
    serialNumber: 'serial_number',
    firstSeenAt: 'first_seen_at',
    lastSeenAt: 'last_seen_at',
    count: 'count',
  },
  orders: { ID: 'id', LAST_SEEN_AT: 'last_seen_at', SERIAL_NUMBER: 'serial_number' },
  filters: {
    id: { column: 'id', kind: 'id', isUnique: true },
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    lastSeenAt: { column: 'last_seen_at', kind: 'instant' },
  },
  recordOf: terminalOf,
});

export async function isUnknownTerminal(work: ReadWork, serialNumber: string): Promise<boolean> {
  return await table.exists(work, { serial_number: serialNumber });
}

/** Requests with one serial number. */
export interface UnknownTerminalSightings {
  readonly serialNumber: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly count: number;
}

/** Adds requests of different terminals to what the company has of them. */
export async function addUnknownTerminalSightings(
  work: CompanyWriteWork,
  sightings: readonly UnknownTerminalSightings[],
): Promise<void> {
  const rows = sightings.map(({ serialNumber, firstAt, lastAt, count }) => ({
    serial_number: serialNumber,
    first_seen_at: instant.toColumn(firstAt),
    last_seen_at: instant.toColumn(lastAt),
    count,
  }));
  const changes = {
    last_seen_at: sql<Date>`excluded.last_seen_at`,
    count: sql<number>`unknown_terminals.count + excluded.count`,
  };
  await table.insertReturning(work, rows, { key: ['serial_number'], changes });
}

/**
 * Deletes unknown terminals that are devices now, and all others except the `keep` that were seen last.
 * `added` is the maximum number of new ones since the last call.
 */
export async function trimUnknownTerminals(
  work: CompanyWriteWork,
  { added, keep }: { readonly added: number; readonly keep: number },
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`delete from unknown_terminals where company_id = ${companyId} and exists (select 1 from devices
    where devices.company_id = ${companyId} and devices.serial_number = unknown_terminals.serial_number)`.execute(
    db,
  );
  await sql`delete from unknown_terminals where company_id = ${companyId} and id in (
    select id from unknown_terminals where company_id = ${companyId}
    order by last_seen_at desc, id desc limit ${added} offset ${keep})`.execute(db);
}
