import { sql } from 'kysely';

import { CompanyRows, type OfCompany, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { lastDrawn } from '../../../database/counters.js';
import { listOf } from '../../../database/list/list.js';
import { retainedBy } from '../../../database/prunings.js';
import { idTable, inList, flag, instant, nullable, type Sql } from '../../../database/storage.js';
import type { SystemReadWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import { HAS_ENDED } from '../../../schema/messages.js';
import type { Row } from '../../../schema/schema.js';
import {
  type Delivery,
  type DeliveryChange,
  DELIVERY_CHANGES,
  type DeliverySummary,
  type QueuedMessage,
} from './notification.model.js';

type ReadWork = OfCompany<SystemReadWork>;

const MAX_ROWS = 200_000;

const mapping = recordMapping<'notification_deliveries', Delivery & QueuedMessage>('notification_deliveries');

/** The number of the logical number of the delivery `t`. */
const NUMBER = sql`(select own.number from logical_numbers as own
  where own.company_id = t.company_id and own.id = t.logical_number_id)`;

export const deliveryList = listOf<'notification_deliveries', Delivery>({
  name: 'NotificationDelivery',
  table: 'notification_deliveries',
  recordsHave: 'notification_id',
  rows: MAX_ROWS,
  isEndless: true,
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: {
    state: { column: 'state', kind: 'choice', order: 'ID' },
    logicalNumberId: { column: 'logical_number_id', kind: 'id' },
    number: { column: 'logical_number_id', kind: 'text', where: (compared) => compared(NUMBER) },
  },
});

export const deliveriesOfNotification = deliveryList.of({ column: 'notification_id' });
export const deliveriesOfLogicalNumber = deliveryList.of({ column: 'logical_number_id' });
/** Deliveries that were last given to the terminal with this serial number. */
export const deliveriesOfDevice = deliveryList.of({ column: 'serial_number', isName: true });

const changes = listOf<'notification_deliveries', DeliveryChange>({
  name: 'NotificationDeliveryChange',
  table: 'notification_deliveries',
  recordsHave: 'notification_id',
  rows: MAX_ROWS,
  id: 'sequence',
  orders: { ID: 'sequence' },
  filters: { notificationId: { column: 'notification_id', kind: 'id' } },
  recordOf: (row) => ({ id: row.sequence, delivery: mapping.recordOf(row) }),
});

export const deliveryNewRows = changes.movedRows('notification_deliveries_by_sequence', DELIVERY_CHANGES);

const totals = new CompanyRows('notification_totals');
const { recordOf: summaryOf } = recordMapping<
  'notification_totals',
  DeliverySummary,
  'company_id' | 'notification_id'
>('notification_totals', ['company_id', 'notification_id']);

/** Number of deliveries in each state by notification id; notifications without a delivery are absent. One statement. */
export async function deliverySummaries(work: ReadWork, notifications: readonly { readonly id: number }[]) {
  const rows = await totals.select(work, { notification_id: notifications.map(({ id }) => id) });
  return new Map(rows.map((row) => [row.notification_id, summaryOf(row)]));
}

export const deliveryRetention = retainedBy('finished_at', HAS_ENDED, {
  kind: 'deliveries',
  table: 'notification_deliveries',
  rowsPerUnit: 400,
});

/** Facts that decide whether a terminal may wait, and for which deliveries. */
export interface TerminalFacts {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly enabled: boolean;
  readonly logicalNumberId: number | null;
  readonly tokenHash: string | null;
  /** When it was issued; null if the device has no token. */
  readonly issuedAt: Date | null;
  /** End of the token before it; null if that has none. */
  readonly oldUntil: Date | null;
}

/** Position of the latest change of a delivery of the company. */
export async function lastPosition(work: ReadWork): Promise<number> {
  const { db, companyId } = specialSql(work);
  return await lastDrawn(db, companyId, DELIVERY_CHANGES);
}

/** Positions of the latest changes by company id; companies without a delivery are absent. */
export async function lastPositions(work: SystemReadWork, companyIds: Ids) {
  const { db } = specialSql(work);
  const { rows } = await sql<{ company_id: number; last_drawn: number }>`select company_id, last_drawn
    from counters where company_id ${inList('integer', companyIds)} and name = ${DELIVERY_CHANGES}`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.company_id, row.last_drawn]));
}

/** Changes that may have made a delivery free, in order: the end of one counts if another one of its lane waits. */
export async function selectQueueChanges(work: ReadWork, after: number, limit: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ position: number; lane: number }>`
    select sequence as position, lane from notification_deliveries as d
    where company_id = ${companyId} and sequence > ${after}
      and (state <> 'sent' or lease_ends_at is null)
      and (finished_at is null or exists (select 1 from notification_deliveries as waiting
        where waiting.company_id = ${companyId} and waiting.lane = d.lane
          and waiting.finished_at is null))
    order by sequence limit ${limit}`.execute(db);
  return rows;
}

/** The given lanes that have a waiting or unconfirmed delivery. One statement. */
export async function selectOpenLanes(work: ReadWork, lanes: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select p.value as id from ${idTable(lanes)}
    where exists (select 1 from notification_deliveries as d where d.company_id = ${companyId}
      and d.lane = p.value and d.finished_at is null)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

const time = nullable(instant);

/** Facts by device id; deleted devices are absent. One statement. */
export async function selectFacts(work: ReadWork, deviceIds: Ids) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<
    Omit<TerminalFacts, 'issuedAt' | 'oldUntil'> & Pick<Row<'device_tokens'>, 'issued_at' | 'old_until'>
  >`select d.id as "deviceId", d.serial_number as "serialNumber",
      d.enabled, d.logical_number_id as "logicalNumberId", t.token_hash as "tokenHash", t.issued_at, t.old_until
    from ${idTable(deviceIds)} cross join devices as d
    left join device_tokens as t on t.company_id = ${companyId} and t.device_id = d.id
    where d.company_id = ${companyId} and d.id = p.value`.execute(db);
  return new Map(
    rows.map(({ issued_at, old_until, ...row }): [number, TerminalFacts] => [
      row.deviceId,
      {
        ...row,
        enabled: flag.fromColumn(row.enabled),
        issuedAt: time.fromColumn(issued_at),
        oldUntil: time.fromColumn(old_until),
      },
    ]),
  );
}

const failedSince = (companyId: number, since: Date): Sql =>
  sql`d.company_id = ${companyId} and ${sql.raw(HAS_ENDED)} and d.finished_at >= ${since} and d.state = 'failed' and d.notification_id is not null`;

/** Number of deliveries that have failed since a time. One statement. */
export async function countFailedSince(work: ReadWork, since: Date): Promise<number> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ total: number }>`select count(*) as total from notification_deliveries as d
    where ${failedSince(companyId, since)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Logical numbers of the deliveries that have failed last, since a time. One statement. */
export async function failedNumbersSince(work: ReadWork, since: Date, limit: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ number: string }>`select n.number from notification_deliveries as d
    join logical_numbers as n on n.company_id = ${companyId} and n.id = d.logical_number_id
    where ${failedSince(companyId, since)} order by d.finished_at desc, d.id desc limit ${limit}`.execute(db);
  return rows.map(({ number }) => number);
}
