import { sql } from 'kysely';

import { idTable, inList } from '../../../../database/bound-lists.js';
import type { OfCompany } from '../../../../database/company/company-rows.js';
import { lastDrawn } from '../../../../database/counters.js';
import { flag } from '../../../../database/storage.js';
import { specialSql, type SystemReadWork } from '../../../../database/work.js';
import { DELIVERY_CHANGES } from '../delivery/delivery.model.js';

type ReadWork = OfCompany<SystemReadWork>;

/** Facts that decide whether a terminal may wait, and for which deliveries. */
export interface TerminalFacts {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumberId: number | null;
  /** Hash of the token of the device; null if it has none. */
  readonly tokenHash: string | null;
}

/** Position of the latest change of a delivery of the company. */
export async function lastPosition(work: ReadWork): Promise<number> {
  const { db, companyId } = specialSql(work);
  return await lastDrawn(db, companyId, DELIVERY_CHANGES);
}

/** Positions of the latest changes by company id; companies without a delivery are absent. */
export async function lastPositions(
  work: SystemReadWork,
  companyIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ company_id: number; last_drawn: number }>`select company_id, last_drawn
    from counters where company_id ${inList('integer', companyIds)} and name = ${DELIVERY_CHANGES}`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.company_id, row.last_drawn]));
}

interface QueueChange {
  readonly position: number;
  readonly logicalNumberId: number;
}

/**
 * Changes of the company after a position that may have made a delivery free, in their order. The end of a
 * delivery counts if another one of the logical number waits.
 */
export async function selectQueueChanges(
  work: ReadWork,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly QueueChange[]> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<QueueChange>`
    select sequence as position, logical_number_id as "logicalNumberId" from notification_deliveries as d
    where company_id = ${companyId} and sequence > ${after}
      and (state <> 'sent' or lease_ends_at is null)
      and (finished_at is null or exists (select 1 from notification_deliveries as waiting
        where waiting.company_id = ${companyId} and waiting.logical_number_id = d.logical_number_id
          and waiting.finished_at is null))
    order by sequence limit ${limit}`.execute(db);
  return rows;
}

/** The given logical numbers that have a waiting or unconfirmed delivery. One statement. */
export async function selectOpenNumbers(
  work: ReadWork,
  logicalNumberIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select p.value as id from ${idTable(logicalNumberIds)}
    where exists (select 1 from notification_deliveries as d where d.company_id = ${companyId}
      and d.logical_number_id = p.value and d.finished_at is null)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Facts by device id; deleted devices are absent. One statement. */
export async function selectFacts(
  work: ReadWork,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, TerminalFacts>> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<TerminalFacts>`select d.id as "deviceId", d.serial_number as "serialNumber",
      d.enabled, d.logical_number_id as "logicalNumberId", t.token_hash as "tokenHash"
    from ${idTable(deviceIds)} cross join devices as d
    left join device_tokens as t on t.company_id = ${companyId} and t.device_id = d.id
    where d.company_id = ${companyId} and d.id = p.value`.execute(db);
  return new Map(rows.map((row) => [row.deviceId, { ...row, enabled: flag.fromColumn(row.enabled) }]));
}
