import { EXPORT_START, linkOf } from '../../domain/base/job/export-link.service.js';
import { JobType } from '../../domain/base/job/job.graphql.js';
import { startJob } from '../../domain/base/job/job.service.js';
import { endOfFile } from '../../domain/terminals/terminal/device-token.service.js';
import * as g from '../../graphql/index.js';
import type { Json } from '../../platform/encoding/json.js';
import { invalid } from '../../platform/errors.js';
import { EXPORTS } from './export-lists.js';

const Kind = g.enumeration(
  'ExportKind',
  'A list that can be exported.',
  Object.fromEntries(Object.keys(EXPORTS).map((name) => [name, `\`/export/v1/${name}\`.`])),
);

const Format = g.enumeration<'csv' | 'ndjson'>('ExportFormat', 'Form of an export.', {
  csv: 'A table.',
  ndjson: 'One JSON object per line.',
});

const Input = g.inputType('ExportStartInput', 'A list, and what of it is exported.', {
  kind: g.choice(Kind, 'The list.'),
  format: { ...g.choice.orNull(Format, 'Form of the file.'), defaultValue: 'csv' },
  filter: g.json.orNull('Filter as the list takes it, for example { "enabled": { "eq": true } }.'),
  columns: g.nullable(
    g.text.list('Columns, in snake case or as GraphQL has them, for example group.name. Default: all.'),
  ),
  timeZone: g.text.orNull('IANA time zone of all times. Default: UTC.'),
  afterSequence: g.int.orNull(
    'Only records with a greater number: `databaseId`, or `sequence` of the ledger. For what is new.',
  ),
});

const MAX_FILTER = 16 * 1024;

function queryOf({
  format,
  filter,
  columns,
  timeZone,
}: InstanceType<typeof Input>): Readonly<Record<string, string>> {
  const text = filter == null ? null : JSON.stringify(filter);
  if (text !== null && Buffer.byteLength(text) > MAX_FILTER)
    throw invalid('filter', 'must have at most {maximum} bytes as JSON text', { maximum: MAX_FILTER });
  return {
    format: format ?? 'csv',
    ...(columns && { columns: columns.join() }),
    ...(text !== null && { filter: text }),
    ...(timeZone != null && { time_zone: timeZone }),
  };
}

const exportStart = g.ownMutation('ExportStart', {
  description:
    'Makes a link with which a list can be fetched for 24 hours without a token, by `curl` or a spreadsheet. The records are those that there are now, as they are when they are fetched. The link ends sooner if the caller loses the rights, or the token of the request is revoked.',
  args: { input: g.object(Input, 'The list, and what of it is exported.') },
  payload: {
    job: g.object.orNull(JobType, 'The job, whose `result` has the link. Null if nothing was started.'),
  },
  scope: 'read',
  prepare: async (ctx, { input }, { schema }) => {
    const { field = '' } = EXPORTS[input.kind] ?? {};
    const asked = { field, query: queryOf(input), after: Math.max(input.afterSequence ?? 0, 0) };
    return await g.keptExport(ctx, schema, asked);
  },
  run: async (work, { input: { kind } }, _ctx, { input, total }) => {
    const started = { list: kind, ...input } as unknown as Json;
    return { job: await startJob(work, { kind: EXPORT_START, input: started, rows: [], total }) };
  },
});

const JobResult = g.objectType<{ readonly url: string; readonly expiresAt: Date }>(
  'JobResult',
  'A file of a job: the tokens that it has issued, as CSV with the columns serial_number and token, or an export.',
  {
    url: g.text(
      'Path of the file. That of tokens is for callers with the scope ADMIN; that of an export needs no token.',
    ),
    expiresAt: g.instant('Until when the file can be fetched: 24 hours after the end of the job.'),
  },
);

export const exportGraphql = g.graphqlModule(
  exportStart,
  g.fields(JobType, {
    result: g.computed(
      g.object.orNull(
        JobResult,
        'The file of the job. Null if it has none, or has not ended; that of an export is shown to the person who started it only.',
      ),
      (job, { caller, services }) => {
        const expiresAt = endOfFile(job);
        const tokens = expiresAt && { url: `/export/v1/jobs/${job.id}/tokens`, expiresAt };
        return Promise.resolve(tokens ?? linkOf(services.tokenSecret, caller, job));
      },
    ),
  }),
);
