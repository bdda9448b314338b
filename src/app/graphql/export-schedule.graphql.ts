import { Weekday } from '../../domain/base/alert/alert.graphql.js';
import {
  type ExportSchedule,
  ExportScheduleCreate,
  MAX_EXPORT_SCHEDULES,
} from '../../domain/base/export-schedule/export-schedule.model.js';
import {
  createExportSchedule,
  deleteExportSchedule,
  getExportSchedule,
  listExportSchedules,
} from '../../domain/base/export-schedule/export-schedule.service.js';
import { WebhookList } from '../../domain/base/webhook/webhook.graphql.js';
import { partsOf } from '../../domain/people/user/session.graphql.js';
import * as g from '../../graphql/index.js';
import { DomainError, invalid, invalidFields } from '../../platform/errors.js';
import { ExportInput, Kind, keptIn } from './export.graphql.js';

type Internal =
  | 'input'
  | 'origin'
  | 'exportedUpTo'
  | 'list'
  | 'webhookId'
  | 'recipientIds'
  | 'dueAt'
  | 'jobId'
  | 'waitingIds'
  | 'sendAt'
  | 'failedAttempts'
  | 'revision';

const ScheduleType = g.objectType<ExportSchedule, Internal | 'id' | 'createdBy' | 'createdVia' | 'updatedAt'>(
  'ExportSchedule',
  'An export that is made once a day or a week, in the name of the person who made the schedule. A webhook gets its link, whatever its types of events are, or members get one each by e-mail.',
  {
    name: g.text('Name, unique in the company.'),
    weekday: g.choice.orNull(Weekday, 'Day of the week on which it is made. Null: each day.'),
    hour: g.int('Hour of the day at which it is made, 0 to 23.'),
    timeZone: g.text('IANA time zone of the hour.'),
    onlyNew: g.flag('Whether each export has only the records recorded since the one before.'),
    createdAt: g.instant('When the schedule was made.'),
    madeAt: g.instant.orNull('When the last export was made. Null if none was.'),
    deliveredAt: g.instant.orNull(
      'When the webhook took the link of the last export, or the mail server the last of its e-mails. Null if none was made, or not all was taken yet.',
    ),
    deliveryFailure: g.text.orNull(
      'Why an e-mail of the last export was not taken, with its address. It is tried again until the link ends. Null if nothing failed, and for webhooks, which say it themselves.',
    ),
    failure: g.text.orNull('Why the last export was not made. Null if it was, or its time has not come.'),
  },
);

const { name, weekday, hour, timeZone, onlyNew, webhookId, recipientIds } = ExportScheduleCreate.shape;
const Input = g.inputType('ExportScheduleCreateInput', 'A new schedule of exports.', {
  name: g.text(name.description ?? ''),
  weekday: g.choice.orNull(Weekday, weekday.description ?? ''),
  hour: g.int(hour.description ?? ''),
  timeZone: g.text(timeZone.description ?? ''),
  onlyNew: { ...g.flag.orNull(onlyNew.description ?? ''), defaultValue: false },
  webhookId: g.id.orNull(webhookId.description ?? ''),
  recipientIds: { ...g.id.list(recipientIds.description ?? ''), defaultValue: [] },
  export: g.object(ExportInput, 'The list, and the part of it that is exported.'),
});

/** An error of the export, as one of the schedule. */
function atExport(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { fields } = error.details;
  if (fields !== undefined)
    return invalidFields(
      Object.fromEntries(Object.entries(fields).map(([field, problems]) => [`export.${field}`, problems])),
    );
  if (error.code !== 'forbidden') return error;
  return invalid('export', 'does not fit the list: {reason}', { reason: error.message });
}

const create = g.ownMutation('ExportScheduleCreate', {
  description: `Makes a schedule of exports. A company has at most ${MAX_EXPORT_SCHEDULES}. Requires the scope ADMIN.`,
  args: { input: g.object(Input, 'The new schedule.') },
  payload: { exportSchedule: g.changedRecord(ScheduleType) },
  scope: 'admin',
  within: (field) => ['input', ...field.split('.')],
  prepare: async (ctx, { input }, { schema }) =>
    await keptIn(ctx, schema, input.export).catch((error: unknown) => {
      throw atExport(error);
    }),
  run: async (work, { input }, ctx, { input: { query, scopes, upTo } }) => {
    const { export: exported, ...given } = input;
    const values = g.withNumbers(given, { webhookId: 'Webhook', recipientIds: 'User' });
    const exportSchedule = await createExportSchedule(work, values, partsOf(ctx).mail, {
      list: exported.kind,
      kept: { query, scopes },
      upTo,
    });
    return { exportSchedule };
  },
});

const remove = g.deletion(
  'ExportSchedule',
  { get: getExportSchedule },
  { scope: 'admin', isLocked: false, run: deleteExportSchedule },
);

const list = g.query('exportSchedules', {
  field: {
    ...g.object.list(
      ScheduleType,
      `Schedules of exports of the company, by name, at most ${MAX_EXPORT_SCHEDULES}.`,
    ),
    counts: MAX_EXPORT_SCHEDULES,
  },
  scope: 'admin',
  resolve: (_source, ctx) => ctx.read('admin', listExportSchedules),
});

export const exportScheduleGraphql = g.graphqlModule(
  list,
  create,
  remove,
  g.fields(ScheduleType, {
    id: g.derived(g.id('Global id.'), ({ id }) => g.globalId('ExportSchedule', id)),
    kind: g.derived(g.choice(Kind, 'The list.'), ({ list: name }) => name),
    nextAt: g.derived(g.instant('When the next export is made.'), ({ dueAt }) => dueAt),
    webhook: g.one(
      WebhookList,
      'webhookId',
      'The webhook that gets the link. Null if members get it by e-mail.',
    ),
    recipientIds: g.derived(
      g.id.list('Global ids of the members who each get a link by e-mail. Who may not read it gets none.'),
      ({ recipientIds: ids }) => ids.map((id) => g.globalId('User', id)),
    ),
  }),
);
