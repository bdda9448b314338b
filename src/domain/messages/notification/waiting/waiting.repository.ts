import { sql } from 'kysely';

import { idTable, inIds, inList } from '../../../../database/bound-lists.js';
import type { OfCompany } from '../../../../database/company/company-rows.js';
import { lastDrawn } from '../../../../database/company/ids.js';
import { specialSql } from '../../../../database/company/special-sql.js';
import { instant, hiddenFromPlanner } from '../../../../database/storage.js';
import type { ReadWork, SystemReadWork } from '../../../../database/work.js';
import { DELIVERY_CHANGES } from '../delivery/delivery.model.js';

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
export async function lastPosition(work: OfCompany<SystemReadWork>): Promise<number> {
  const { db } = specialSql(work);
  return await lastDrawn(db, work.caller.companyId, DELIVERY_CHANGES);
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

interface DeviceToken {
  readonly hash: string;
  readonly issuedAt: Date;
}

/** Tokens by device id; devices without a token are absent. One statement. */
export async function findTokens(
  work: ReadWork,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, DeviceToken>> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ device_id: number; token_hash: string; issued_at: number }>`
    select device_id, token_hash, issued_at from device_tokens
    where company_id = ${hiddenFromPlanner(companyId)} and device_id ${inIds(deviceIds)}`.execute(db);
  return new Map(
    rows.map((row) => [row.device_id, { hash: row.token_hash, issuedAt: instant.fromColumn(row.issued_at) }]),
  );
}

export interface QueueChange {
  readonly position: number;
  readonly logicalNumberId: number;
}

/**
 * Changes of a company after a position that may have made a delivery free, in their order. The end of a
 * delivery counts if another one of the logical number waits.
 */
export async function selectQueueChanges(
  work: SystemReadWork,
  companyId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly QueueChange[]> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ sequence: number; logical_number_id: number }>`
    select sequence, logical_number_id from notification_deliveries as d
    where company_id = ${companyId} and sequence > ${after}
      and (state <> 'sent' or lease_ends_at is null)
      and (finished_at is null or exists (select 1 from notification_deliveries as waiting
        where waiting.company_id = ${companyId} and waiting.logical_number_id = d.logical_number_id
          and waiting.finished_at is null))
    order by sequence limit ${limit}`.execute(db);
  return rows.map((row) => ({ position: row.sequence, logicalNumberId: row.logical_number_id }));
}

/** The given logical numbers that have a waiting or unconfirmed delivery. One statement. */
export async function selectOpenNumbers(
  work: SystemReadWork,
  companyId: number,
  logicalNumberIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { db } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select p.value as id from ${idTable(logicalNumberIds)}
    where exists (select 1 from notification_deliveries as d where d.company_id = ${companyId}
      and d.logical_number_id = p.value and d.finished_at is null)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Facts by device id; deleted devices are absent. One statement. */
export async function selectFacts(
  work: SystemReadWork,
  companyId: number,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, TerminalFacts>> {
  const { db } = specialSql(work);
  const { rows } = await sql<{
    id: number;
    serial_number: string;
    enabled: number | boolean;
    logical_number_id: number | null;
    token_hash: string | null;
  }>`select d.id, d.serial_number, d.enabled, d.logical_number_id, t.token_hash
    from ${idTable(deviceIds)} cross join devices as d
    left join device_tokens as t on t.company_id = ${companyId} and t.device_id = d.id
    where d.company_id = ${companyId} and d.id = p.value`.execute(db);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...{ deviceId: row.id, serialNumber: row.serial_number, enabled: Boolean(row.enabled) },
        ...{ logicalNumberId: row.logical_number_id, tokenHash: row.token_hash },
      },
    ]),
  );
}
