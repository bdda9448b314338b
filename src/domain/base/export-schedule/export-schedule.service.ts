import type { CompanyWriteWork, ReadWork, Units, WriteWork } from '../../../database/work.js';
import { DAY } from '../../../platform/clock.js';
import {
  DomainError,
  invalid,
  invalidRecord,
  isTemporary,
  notFound,
  requireAtMost,
  taken,
} from '../../../platform/errors.js';
import { openTimes } from '../../../platform/hours.js';
import type { Mailer } from '../../../platform/mail.js';
import { localCaller, type Caller } from '../../../platform/requests.js';
import { type Ids, parse } from '../../../platform/validate.js';
import { refuseUnknownUsers } from '../../people/user/user.service.js';
import { EXPORT_START, keyedLink, readersOf, refuseStarter } from '../job/export-link.service.js';
import { reasonOf, starterOf, startJob } from '../job/job.service.js';
import type { LedgerEntry } from '../ledger/ledger.service.js';
import { refuseUnknownWebhook } from '../webhook/webhook.service.js';
import { type ExportSchedule, ExportScheduleCreate, MAX_EXPORT_SCHEDULES } from './export-schedule.model.js';
import { type DueSchedule, findDueSchedules, scheduleTable, store } from './export-schedule.repository.js';

/** Schedules of the company, by name. */
export async function listExportSchedules(work: ReadWork): Promise<readonly ExportSchedule[]> {
  const all = await scheduleTable.select(work, {}, { page: 1, perPage: MAX_EXPORT_SCHEDULES });
  return all.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Errors: `not_found`. */
export async function getExportSchedule(work: ReadWork, id: number): Promise<ExportSchedule> {
  const found = await scheduleTable.findById(work, id);
  if (found === undefined) throw notFound('export schedule');
  return found;
}

interface NewSchedule {
  readonly list: string;
  readonly kept: ExportSchedule['input'];
  /** Highest id of the list now. */
  readonly upTo: number;
}

/** Errors: `invalid`, also for a webhook or members that the company does not have, and `taken`. */
export async function createExportSchedule(
  work: WriteWork,
  input: unknown,
  mail: Mailer,
  { list, kept, upTo }: NewSchedule,
): Promise<ExportSchedule> {
  const { weekday = null, webhookId = null, ...values } = parse(ExportScheduleCreate, input);
  await refuseUnknownWebhook(work, 'webhookId', webhookId);
  if (webhookId === null) await refuseRecipients(work, mail, kept, values.recipientIds);
  else if (values.recipientIds.length > 0)
    throw invalid('recipientIds', 'must not be sent together with {field}', { field: 'webhookId' });
  requireAtMost('exportSchedules', (await scheduleTable.rows.count(work, {})) + 1, MAX_EXPORT_SCHEDULES);
  if (await scheduleTable.rows.exists(work, { name: values.name })) throw taken('name', 'exists already');
  const { scopes, channel, ip, requestId, tokenId } = work.caller;
  const schedule = await scheduleTable.insert(work, {
    ...values,
    weekday,
    webhookId,
    list,
    input: kept,
    origin: { scopes, channel, ip, requestId, tokenId },
    exportedUpTo: upTo,
    dueAt: nextTime({ ...values, weekday }, work.now),
    madeAt: null,
    jobId: null,
    ...NOTHING_SENT,
  });
  work.ledger.created('export_schedule', recorded(schedule));
  return schedule;
}

const NOTHING_SENT = {
  failure: null,
  deliveredAt: null,
  waitingIds: [],
  sendAt: null,
  failedAttempts: 0,
  deliveryFailure: null,
};

/** Refuses e-mails that would not be sent, or would show somebody what that member may not read. */
async function refuseRecipients(
  work: ReadWork,
  mail: Mailer,
  { scopes }: ExportSchedule['input'],
  ids: Ids,
): Promise<void> {
  const field = 'recipientIds';
  if (ids.length === 0)
    throw invalid(field, 'must not be empty: {advice}', { advice: 'choose members, or a webhook' });
  await refuseUnknownUsers(work, field, ids);
  if (!mail.isOn) {
    const advice = 'choose a webhook, or ask its operator to set SMTP_URL';
    throw invalidRecord('This server sends no e-mail: {advice}.', { advice });
  }
  if ((await readersOf(work, scopes, ids)).length < ids.length)
    throw invalid(field, 'must be active members with the right to read what is exported');
}

/** The schedule as the ledger shows it: without what changes with each export. */
const recorded = ({
  id,
  name,
  list,
  input,
  webhookId,
  recipientIds,
  weekday,
  hour,
  timeZone,
  onlyNew,
}: ExportSchedule) => ({
  id,
  name,
  list,
  query: input.query,
  webhookId,
  recipientIds,
  weekday,
  hour,
  timeZone,
  onlyNew,
});

export async function deleteExportSchedule(work: WriteWork, schedule: ExportSchedule): Promise<void> {
  await scheduleTable.deleteById(work, schedule.id);
  work.ledger.deleted('export_schedule', recorded(schedule));
}

/** Deletes the schedules of a webhook that is deleted. */
export async function deleteSchedulesOf(work: WriteWork, { id }: { readonly id: number }): Promise<void> {
  for (const schedule of await scheduleTable.select(work, { webhook_id: id }))
    await deleteExportSchedule(work, schedule);
}

/** The first time after `now` that clocks show the hour, on its day. */
export function nextTime(
  { hour, weekday, timeZone }: Pick<ExportSchedule, 'hour' | 'weekday' | 'timeZone'>,
  now: Date,
): Date {
  const hours = { fromHour: hour, toHour: hour + 1, timeZone, days: weekday === null ? null : [weekday] };
  // Where clocks skip the hour, it is the next day that has it.
  const range = { from: now.getTime(), to: now.getTime() + 15 * DAY };
  const next = openTimes(hours, range).find(({ from }) => from > range.from);
  return new Date(next?.from ?? range.to);
}

interface Measured {
  readonly upTo: number;
  readonly total: number;
}

export interface ExportTools {
  readonly units: Units;
  /** The highest id of the records that an export after an id has now, and their number. */
  readonly measure: (work: ReadWork, schedule: ExportSchedule, after: number) => Promise<Measured>;
  readonly onError: (error: unknown) => void;
}

/** Makes the exports whose time has come. Only one node may do it at a time. */
export async function makeDueExports(tools: ExportTools): Promise<void> {
  for (const due of await tools.units.systemRead(findDueSchedules))
    await makeExport(tools, due).catch(tools.onError);
}

/** Makes an export in the name of the person who made the schedule; if that is refused, the reason is stored. */
async function makeExport(tools: ExportTools, { companyId, id }: DueSchedule): Promise<void> {
  const { units, measure } = tools;
  const begun = await findWithCallers(units, { companyId, id });
  if (begun === undefined) return;
  const { schedule, caller, server } = begun;
  const after = schedule.onlyNew ? schedule.exportedUpTo : 0;
  try {
    await units.read(caller, (work) => refuseStarter(work, schedule));
    const measured = await units.read(caller, (work) => measure(work, schedule, after), { examines: true });
    await units.write(caller, (work) => startExport(work, schedule, after, measured));
  } catch (error) {
    if (isTemporary(error)) throw error;
    const failure = reasonOf(error);
    await units.write(server, (work) =>
      store(work, { id }, { dueAt: nextTime(schedule, work.now), failure }),
    );
    if (!(error instanceof DomainError)) throw error;
  }
}

interface WithCallers {
  readonly schedule: ExportSchedule;
  /** The person who made the schedule, with the present rights. */
  readonly caller: Caller;
  readonly server: Caller;
}

export async function findWithCallers(
  units: Units,
  { companyId, id }: DueSchedule,
): Promise<WithCallers | undefined> {
  const server = localCaller({ companyId, userId: 0, timeZone: 'UTC' });
  return await units.read(server, async (work) => {
    const schedule = await scheduleTable.findById(work, id);
    if (schedule === undefined) return undefined;
    const { tokenId } = schedule.origin;
    return { schedule, caller: { ...(await starterOf(work, schedule)), tokenId }, server };
  });
}

/** The job of the link, and the entry that the webhook gets, in one unit: after a crash there are both, or none. */
async function startExport(
  work: WriteWork,
  { id, name, list, input, webhookId, recipientIds }: ExportSchedule,
  after: number,
  { upTo, total }: Measured,
): Promise<void> {
  const current = await scheduleTable.findById(work, id);
  if (current === undefined || current.dueAt > work.now) return;
  const job = await startJob(work, {
    kind: EXPORT_START,
    input: { list, ...input, after, upTo },
    rows: [],
    total,
  });
  const webhookIds = webhookId === null ? [] : [webhookId];
  const made = { name, list, total, jobId: job.id, webhookIds, recipientIds };
  work.ledger.append({ action: 'end', entityType: 'export_schedule', entityId: id, after: made });
  await store(
    work,
    { id },
    {
      exportedUpTo: upTo,
      dueAt: nextTime(current, work.now),
      madeAt: work.now,
      jobId: job.id,
      ...NOTHING_SENT,
      ...(recipientIds.length > 0 && { waitingIds: recipientIds, sendAt: work.now }),
    },
  );
}

/** For the webhook alone: the link of the export that an entry tells of. */
export function linkOfEntry(tokenSecret: string, companyId: number, { at, after }: LedgerEntry): object {
  const { jobId } = after as { readonly jobId: number };
  return { link: keyedLink(tokenSecret, companyId, { id: jobId, createdAt: at }) };
}

/** Notes that the webhook has taken the entry of the last export. */
export async function noteDelivered(
  work: CompanyWriteWork,
  { entityId, at }: Pick<LedgerEntry, 'entityId' | 'at'>,
): Promise<void> {
  if (entityId !== null) await store(work, { id: entityId, madeAt: at }, { deliveredAt: work.now });
}
