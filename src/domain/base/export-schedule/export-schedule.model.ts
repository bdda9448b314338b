import { z } from 'zod';

import { WEEKDAYS, type Weekday } from '../../../platform/hours.js';
import type { Caller, Scope } from '../../../platform/requests.js';
import { type Audit, type Ids, printableName, recordId, TimeZone } from '../../../platform/validate.js';
import type { RecordOf } from '../../../schema/schema.js';

export const MAX_EXPORT_SCHEDULES = 50;
const MAX_RECIPIENTS = 20;

export const ExportScheduleCreate = z.object({
  name: printableName(100).describe('Name, unique in the company.'),
  weekday: z.enum(WEEKDAYS).nullish().describe('Day of the week; each day without it.'),
  hour: z.int().min(0).max(23).describe('Hour of the day, 0 to 23.'),
  timeZone: TimeZone.describe('IANA time zone of the hour, for example America/Sao_Paulo.'),
  onlyNew: z
    .boolean()
    .default(false)
    .describe('Whether each export has only the records recorded since the one before.'),
  webhookId: recordId.nullish().describe('Webhook that gets the link: either this, or `recipientIds`.'),
  recipientIds: z
    .array(recordId)
    .max(MAX_RECIPIENTS)
    .transform((ids) => [...new Set(ids)])
    .default([])
    .describe(
      `Members who each get a link by e-mail, at most ${MAX_RECIPIENTS}. They need the right to read what is exported.`,
    ),
});

interface Kept {
  readonly query: Readonly<Record<string, string>>;
  readonly scopes: readonly Scope[];
}

/** An export that is made once a day or a week, and sent as a link. */
export type ExportSchedule = RecordOf<
  'export_schedules',
  Audit & {
    readonly input: Kept;
    readonly origin: Pick<Caller, 'scopes' | 'channel' | 'ip' | 'requestId' | 'tokenId'>;
    readonly weekday: Weekday | null;
    readonly recipientIds: Ids;
    readonly waitingIds: Ids;
  }
>;
