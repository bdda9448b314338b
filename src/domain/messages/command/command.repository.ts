import { sql } from 'kysely';

import { CompanyRows, UNLIMITED, specialSql } from '../../../database/company/company-rows.js';
import { recordMapping } from '../../../database/company/company-table.js';
import { listOf } from '../../../database/list/list.js';
import { hiddenFromPlanner, idTable, joinFirstRows } from '../../../database/storage.js';
import type { ReadWork } from '../../../database/work.js';
import type { Ids } from '../../../platform/validate.js';
import { HAS_ENDED } from '../../../schema/messages.js';
import { DELIVERY_CHANGES, laneOf } from '../notification/notification.model.js';
import type { CommandChange, CommandSummary, TerminalCommand } from './command.model.js';

const MAX_ROWS = 200_000;

const mapping = recordMapping<'notification_deliveries', TerminalCommand>('notification_deliveries');

const SHARED = { table: 'notification_deliveries', recordsHave: 'command_id', rows: MAX_ROWS } as const;

export const terminalCommands = listOf<'notification_deliveries', TerminalCommand>({
  ...SHARED,
  name: 'TerminalCommand',
  isEndless: true,
  id: 'id',
  ...mapping,
  orders: { ID: 'id' },
  filters: {
    state: { column: 'state', kind: 'choice', order: 'ID' },
    deviceId: { column: 'device_id', kind: 'id' },
    groupId: {
      column: 'device_id',
      kind: 'id',
      where: (compared) =>
        compared(sql`(select number.group_id from devices as own
          join logical_numbers as number on number.company_id = own.company_id and number.id = own.logical_number_id
          where own.company_id = t.company_id and own.id = t.device_id)`),
    },
  },
});

export const terminalsOfCommand = terminalCommands.of({ column: 'command_id' });
export const commandsOfDevice = terminalCommands.of({ column: 'device_id' });

const changes = listOf<'notification_deliveries', CommandChange>({
  ...SHARED,
  name: 'CommandChange',
  id: 'sequence',
  orders: { ID: 'sequence' },
  filters: { commandId: { column: 'command_id', kind: 'id' } },
  recordOf: (row) => ({ id: row.sequence, terminal: mapping.recordOf(row) }),
});

export const commandNewRows = changes.movedRows('notification_deliveries_by_sequence', DELIVERY_CHANGES);

const totals = new CompanyRows('command_totals');
const { recordOf: summaryOf } = recordMapping<'command_totals', CommandSummary, 'company_id' | 'command_id'>(
  'command_totals',
  ['company_id', 'command_id'],
);

/** Number of terminals in each state by command id; commands without one are absent. One statement. */
export async function commandSummaries(work: ReadWork, commands: readonly { readonly id: number }[]) {
  const rows = await totals.select(work, { command_id: commands.map(({ id }) => id) });
  return new Map(rows.map((row) => [row.command_id, summaryOf(row)]));
}

/** State of the command `t`. Without a summary, a job is about to queue it. */
export const COMMAND_STATE = sql`case when coalesce((select sums.queued + sums.sent from command_totals as sums
  where sums.company_id = t.company_id and sums.command_id = t.id), 1) > 0 then 'open' else 'ended' end`;

/** Waiting commands of devices with the same action as a new one, which it replaces. */
export async function selectReplaced(
  work: ReadWork,
  deviceIds: Ids,
  { id, action }: { readonly id: number; readonly action: string },
): Promise<Ids> {
  const { db } = specialSql(work);
  const companyId = hiddenFromPlanner(work.caller.companyId);
  const lanes = deviceIds.flatMap((deviceId) => [laneOf(deviceId, true), laneOf(deviceId, false)]);
  const waiting = joinFirstRows({
    table: 'notification_deliveries',
    alias: 'd',
    own: sql`d.company_id = ${companyId}`,
    where: sql`d.lane = p.value and d.finished_at is null`,
    limit: UNLIMITED,
  });
  const { rows } = await sql<{ id: number }>`select d.id from ${idTable(lanes)} ${waiting}
    join commands as k on k.company_id = ${companyId} and k.id = d.command_id
    where k.action = ${action} and k.id <> ${id}`.execute(db);
  return rows.map((row) => row.id);
}

/** Commands of a device with this action that its terminal was given, and has not reported as done or failed. */
export async function selectGiven(work: ReadWork, deviceId: number, action: string) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ id: number }>`select d.id from notification_deliveries as d
    join commands as k on k.company_id = ${companyId} and k.id = d.command_id
    where d.company_id = ${companyId} and d.device_id = ${deviceId} and d.state in ('sent', 'delivered')
      and k.action = ${action} order by d.id`.execute(db);
  return rows.map((row) => row.id);
}

/** The condition of the index `ended` is there word for word, since SQLite uses the index only then. */
const failedSince = (companyId: number, since: Date) => sql`d.company_id = ${companyId}
  and ${sql.raw(HAS_ENDED)} and d.state in ('failed', 'expired') and d.command_id is not null and d.finished_at >= ${since}`;

/** Number of commands of terminals that have failed or expired since a time. One statement. */
export async function countFailedSince(work: ReadWork, since: Date): Promise<number> {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ total: number }>`select count(*) as total from notification_deliveries as d
    where ${failedSince(companyId, since)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Serial numbers of the devices whose commands have failed or expired last. One statement. */
export async function failedSerialsSince(work: ReadWork, since: Date, limit: number) {
  const { db, companyId } = specialSql(work);
  const { rows } = await sql<{ serial: string }>`select v.serial_number as serial
    from notification_deliveries as d join devices as v on v.company_id = ${companyId} and v.id = d.device_id
    where ${failedSince(companyId, since)} order by d.finished_at desc, d.id desc limit ${limit}`.execute(db);
  return rows.map(({ serial }) => serial);
}
