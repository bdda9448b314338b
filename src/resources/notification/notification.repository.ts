import { auditOf, createdBy } from '../../database/audit.js';
import { listOf } from '../../database/list/list.js';
import { amongIds, instant } from '../../database/storage.js';
import type { Row } from '../../database/tables.js';
import type { ReadWork, WriteWork } from '../../database/work.js';
import { offsetOf, type PageRequest } from '../../platform/page.js';
import type { Notification } from './notification.model.js';

function notificationOf(row: Row<'notifications'>): Notification {
  return {
    id: row.id,
    content: row.content,
    range: row.range === 'group' ? 'group' : 'specific_logical_numbers',
    kind: row.kind === 'processing' ? 'processing' : 'show',
    groupId: row.group_id,
    appId: row.app_id,
    expiresAt: instant.fromColumn(row.expires_at),
    ...auditOf(row),
  };
}

export const notifications = listOf<'notifications', Notification>({
  name: 'Notification',
  isLarge: true,
  table: 'notifications',
  id: 'id',
  orders: { ID: 'id', CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', EXPIRES_AT: 'expires_at' },
  filters: {
    id: { column: 'id', kind: 'id' },
    kind: { column: 'kind', kind: 'choice' },
    groupId: { column: 'group_id', kind: 'id' },
    createdAt: { column: 'created_at', kind: 'instant' },
    updatedAt: { column: 'updated_at', kind: 'instant' },
    expiresAt: { column: 'expires_at', kind: 'instant' },
  },
  recordOf: notificationOf,
});

const ownNotifications = (work: ReadWork) =>
  work.db.selectFrom('notifications').selectAll().where('company_id', '=', work.caller.companyId);

export async function findNotification(work: ReadWork, id: number): Promise<Notification | undefined> {
  const row = await ownNotifications(work).where('id', '=', id).executeTakeFirst();
  return row && notificationOf(row);
}

export async function selectNotifications(work: ReadWork, page: PageRequest): Promise<Notification[]> {
  const rows = await ownNotifications(work)
    .orderBy('id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  return rows.map(notificationOf);
}

export async function insertNotification(
  work: WriteWork,
  values: Pick<Notification, 'content' | 'range' | 'kind' | 'groupId' | 'appId' | 'expiresAt'>,
): Promise<Notification> {
  const row = await work.db
    .insertInto('notifications')
    .values({
      company_id: work.caller.companyId,
      content: values.content,
      range: values.range,
      kind: values.kind,
      group_id: values.groupId,
      app_id: values.appId,
      expires_at: instant.toColumn(values.expiresAt),
      ...createdBy(work),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return notificationOf(row);
}

/** One delivery for each logical number that the group has now, all in one statement; answers how many. */
export async function queueForGroup(
  work: WriteWork,
  notificationId: number,
  groupId: number,
): Promise<number> {
  return await queue(work, notificationId, numbersOfCompany(work).where('group_id', '=', groupId));
}

/** One delivery for each of the logical numbers, all in one statement; answers how many. */
export async function queueForNumbers(
  work: WriteWork,
  notificationId: number,
  ids: readonly number[],
): Promise<number> {
  return await queue(work, notificationId, numbersOfCompany(work).where('id', 'in', amongIds(ids)));
}

const numbersOfCompany = (work: WriteWork) =>
  work.db.selectFrom('logical_numbers').where('company_id', '=', work.caller.companyId);

async function queue(
  work: WriteWork,
  notificationId: number,
  targets: ReturnType<typeof numbersOfCompany>,
): Promise<number> {
  const result = await work.db
    .insertInto('notification_deliveries')
    .columns(['company_id', 'notification_id', 'logical_number_id', 'state', 'updated_at'])
    .expression(
      targets.select((column) => [
        'company_id',
        column.val(notificationId).as('notification_id'),
        'id as logical_number_id',
        column.val('queued').as('state'),
        column.val(instant.toColumn(work.now)).as('updated_at'),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}

export async function hasApp(work: ReadWork, id: number): Promise<boolean> {
  const row = await work.db
    .selectFrom('apps')
    .select('id')
    .where('company_id', '=', work.caller.companyId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
