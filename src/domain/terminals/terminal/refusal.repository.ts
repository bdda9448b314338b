import { sql } from 'kysely';

import { inIds } from '../../../database/bound-lists.js';
import { CompanyRows, type NewRow } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { instant, typed } from '../../../database/storage.js';
import { type CompanyWriteWork, type ReadWork, specialSql } from '../../../database/work.js';
import type { DeviceRefusalCode } from '../../../platform/terminal.js';
import type { Device } from '../../fleet/device/device.model.js';
import type { TerminalRefusal, UnknownTerminal } from './terminal.model.js';

const refusals = new CompanyRows('terminal_refusals');

/** The last refusal by device id; devices that were never refused are absent. One statement. */
export async function lastRefusals(
  work: ReadWork,
  devices: readonly Pick<Device, 'id'>[],
): Promise<ReadonlyMap<number, TerminalRefusal>> {
  const rows = await refusals.select(work, { device_id: devices.map(({ id }) => id) });
  return new Map(
    rows.map((row) => [
      row.device_id,
      { code: row.code as DeviceRefusalCode, at: instant.fromColumn(row.refused_at) },
    ]),
  );
}

export interface NewRefusals {
  readonly code: DeviceRefusalCode;
  /** Deleted devices are ignored. */
  readonly deviceIds: readonly number[];
  /** A device with a refusal since this time keeps it. */
  readonly unlessSince: Date;
}

export async function storeRefusals(
  work: CompanyWriteWork,
  { code, deviceIds, unlessSince }: NewRefusals,
): Promise<void> {
  const { db, companyId } = specialSql(work);
  await sql`insert into terminal_refusals (company_id, device_id, code, refused_at)
    select company_id, id, ${typed('text', code)}, ${typed('instant', instant.toColumn(work.now))} from devices
    where company_id = ${companyId} and id ${inIds(deviceIds)}
    on conflict (company_id, device_id) do update set code = excluded.code, refused_at = excluded.refused_at
    where terminal_refusals.refused_at < ${instant.toColumn(unlessSince)}`.execute(db);
}

const table = new CompanyRows('unknown_terminals');
const mapping = recordMapping<'unknown_terminals', UnknownTerminal>('unknown_terminals');

export const unknownTerminals = listOf<'unknown_terminals', UnknownTerminal>({
  name: 'UnknownTerminal',
  table: 'unknown_terminals',
  rows: 'unknown_terminals',
  id: 'id',
  ...mapping,
  orders: { ID: 'id', LAST_SEEN_AT: 'last_seen_at', SERIAL_NUMBER: 'serial_number' },
  filters: {
    id: { column: 'id', kind: 'id', isUnique: true },
    serialNumber: { column: 'serial_number', kind: 'text', isUnique: true },
    lastSeenAt: { column: 'last_seen_at', kind: 'instant' },
  },
});

export async function isUnknownTerminal(work: ReadWork, serialNumber: string): Promise<boolean> {
  return await table.exists(work, { serial_number: serialNumber });
}

/** Requests with one serial number. */
export type UnknownTerminalSightings = Omit<UnknownTerminal, 'id'>;

/** Adds requests of different terminals to what the company has of them. */
export async function addUnknownTerminalSightings(
  work: CompanyWriteWork,
  sightings: readonly UnknownTerminalSightings[],
): Promise<void> {
  const rows = sightings.map((each) => mapping.columnsOf(each) as unknown as NewRow<'unknown_terminals'>);
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
