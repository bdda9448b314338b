import { flag, instant, integer, jsonb, optional, recordTable, referenceTo, text } from './table.js';

export const exportSchedules = {
  /** Exports that are made once a day or a week, each as a link for a webhook, or for members by e-mail. */
  export_schedules: recordTable(
    {
      name: text,
      /** Name of the list, for example `transactions`. */
      list: text,
      /** Parameters of the export, and the scopes that they need. */
      input: jsonb,
      /** Scopes, token and request of the person who made it. */
      origin: jsonb,
      /** Either a webhook, or members who get an e-mail: an empty list with a webhook. */
      webhook_id: optional(referenceTo('webhooks')),
      recipient_ids: jsonb,
      /** Null: every day. */
      weekday: optional(text),
      hour: integer,
      time_zone: text,
      /** True if each export has only the records after those of the one before. */
      only_new: flag,
      /** Highest id of the records of the last export. */
      exported_up_to: integer,
      due_at: instant,
      /** When the last export was made, and when its event or all of its e-mails were taken; null if none was. */
      made_at: optional(instant),
      delivered_at: optional(instant),
      /** Why the last one was not made; null if it was. */
      failure: optional(text),
      /** Job of the last export's link; no reference, since retention deletes jobs. */
      job_id: optional(integer),
      /** Recipients whose e-mail of the last export the mail server has not taken yet. */
      waiting_ids: jsonb,
      /** When they are sent next; null if none waits. */
      send_at: optional(instant),
      failed_attempts: integer,
      /** Why the last attempt to send them failed; null if it did not. */
      delivery_failure: optional(text),
    },
    {
      unique: [['company_id', 'name']],
      indexes: [
        { name: 'due', columns: ['due_at'] },
        { name: 'unsent', columns: ['send_at'], where: 'send_at is not null' },
        ['webhook_id', 'id'],
      ],
    },
  ),
};
