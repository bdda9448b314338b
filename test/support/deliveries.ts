import { inCompany, type OfCompany } from '../../src/database/company/company-rows.js';
import type { SystemWriteWork, Units } from '../../src/database/work.js';
import { end } from '../../src/domain/messages/notification/ending.service.js';
import type { ClaimedDelivery } from '../../src/domain/messages/notification/notification.model.js';
import { sendNotification } from '../../src/domain/messages/notification/notification.service.js';
import { fleet, rowsIn } from './fleet.js';
import { SYSTEM, type Member, type TestServer } from './server.js';

/** Creates an enabled device under a logical number of its own; resolves to the id of that. */
export async function reachable(member: Member, number: string): Promise<number> {
  const id = await fleet.logicalNumber(member.client, number);
  await fleet.device(member.client, `SN-${number}`, { logical_number_id: id });
  return id;
}

/** Sends a notification to logical numbers; resolves to its id. */
export async function notify(
  { app }: Pick<TestServer, 'app'>,
  { caller }: Member,
  content: string,
  ...logicalNumbers: string[]
): Promise<number> {
  const { id } = await app.units.write(caller, (work) => sendNotification(work, { content, logicalNumbers }));
  return id;
}

/** A unit of work of the server itself that writes in the company of a member, as workers open it. */
export async function inUnit<T>(
  units: Units,
  { caller: { companyId } }: Member,
  use: (work: OfCompany<SystemWriteWork>) => Promise<T>,
): Promise<T> {
  return await units.systemWrite(SYSTEM, (work) => use(inCompany(work, companyId)), companyId);
}

/** Lets claimed deliveries fail, as after the last attempt to hand them out. */
export async function failDeliveries(
  work: OfCompany<SystemWriteWork>,
  claimed: readonly ClaimedDelivery[],
  reason: string,
): Promise<void> {
  const ids = claimed.map(({ id }) => id);
  await end(work, ids, 'failed', { reason });
}

/** Deliveries of a company by id. */
export async function deliveriesOf({ app }: TestServer, { caller }: Member) {
  const rows = await app.database.reads
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('company_id', '=', caller.companyId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    attempts: row.attempts,
    sent: row.sent_at !== null,
    finished: row.finished_at !== null,
    due: row.due_at !== null,
    reason: row.reason,
  }));
}

/** The logical numbers for which a notification is queued, in order. */
export async function targetsOf({ place }: TestServer, notificationId: number): Promise<string[]> {
  const rows = await place.sql<{ number: string }>(
    `select number from notification_deliveries as d join logical_numbers as n on n.id = d.logical_number_id
     where notification_id = $1 and state = 'queued' order by number`,
    [notificationId],
  );
  return rows.map(({ number }) => number);
}

/** Numbers of notifications, deliveries and ledger entries of all companies. */
export async function notificationRows(server: TestServer): Promise<number[]> {
  const tables = ['notifications', 'notification_deliveries', 'ledger'];
  return await Promise.all(tables.map((table) => rowsIn(server, table)));
}
