import { EXPORT_START, linkOf } from '../../domain/base/job/export-link.service.js';
import { JobType } from '../../domain/base/job/job.graphql.js';
import { startJob } from '../../domain/base/job/job.service.js';
import { endOfFile } from '../../domain/terminals/terminal/device-token.service.js';
import * as g from '../../graphql/index.js';
import type { Json } from '../../platform/encoding/json.js';
import { invalid } from '../../platform/errors.js';
import { EXPORTS } from './export-lists.js';

export const Kind = g.enumeration(
  'ExportKind',
  'A list that can be exported.',
  Object.fromEntries(Object.keys(EXPORTS).map((name) => [name, `\`/export/v1/${name}\`.`])),
);

const Format = g.enumeration<'csv' | 'spreadsheet' | 'ndjson'>('ExportFormat', 'Form of an export.', {
  csv: 'A table for programs.',
  spreadsheet: 'A table for spreadsheets, with amounts in units and local times.',
  ndjson: 'One JSON object per line.',
});

const Locale = g.enumeration<'en' | 'pt'>('ExportLocale', 'Language of a spreadsheet.', {
  en: 'English: 1.5, and times such as 2026-01-31 09:00:00.',
  pt: 'Portuguese: 1,5, and times such as 31/01/2026 09:00:00.',
});

const Separator = g.enumeration<'comma' | 'semicolon' | 'tab'>(
  'ExportSeparator',
  'Separator of the cells of a spreadsheet.',
  { comma: 'A comma.', semicolon: 'A semicolon.', tab: 'A tab.' },
);

const Spreadsheet = g.inputType('ExportSpreadsheetInput', 'How a spreadsheet wants its file.', {
  locale: g.choice.orNull(Locale, 'Language of decimals, times, flags and reasons. Default: EN.'),
  separator: g.choice.orNull(Separator, 'Default: SEMICOLON in Portuguese, otherwise COMMA.'),
  headings: g.nullable(
    g.text.list('The first row, with one text for each column. Default: names of the columns.'),
  ),
  words: g.json.orNull(
    'Words for the values of enumerations, by the values: { "APPROVED": "Approved" }. Others stay as they are.',
  ),
  byteOrderMark: g.flag.orNull(
    'Whether the file begins with a byte order mark, by which Excel recognizes UTF-8. Default: true.',
  ),
  fileName: g.text.orNull('Name of the file, before the day. Default: name of the list.'),
});

export const ExportInput = g.inputType('ExportStartInput', 'A list, and the part of it that is exported.', {
  kind: g.choice(Kind, 'The list.'),
  format: { ...g.choice.orNull(Format, 'Form of the file.'), defaultValue: 'csv' },
  filter: g.json.orNull('Filter as the list takes it, for example { "enabled": { "eq": true } }.'),
  columns: g.nullable(
    g.text.list('Columns, in snake case or as GraphQL has them, for example group.name. Default: all.'),
  ),
  orderBy: g.text.orNull(
    'Order of the list, for example created_at or created_at.desc. Default: the one that is fastest to read.',
  ),
  spreadsheet: g.object.orNull(Spreadsheet, 'Only with the format SPREADSHEET.'),
  timeZone: g.text.orNull('IANA time zone of all times. Default: UTC.'),
  afterSequence: g.int.orNull(
    'Only records with a greater number: `databaseId`, or `sequence` of the ledger. For what is new.',
  ),
});

const MAX_FILTER = 16 * 1024;

function queryOf(input: InstanceType<typeof ExportInput>): Readonly<Record<string, string>> {
  const { format, filter, columns, orderBy, spreadsheet, timeZone } = input;
  const text = filter == null ? null : JSON.stringify(filter);
  if (text !== null && Buffer.byteLength(text) > MAX_FILTER)
    throw invalid('filter', 'must have at most {maximum} bytes as JSON text', { maximum: MAX_FILTER });
  return {
    format: format ?? 'csv',
    ...(columns && { columns: columns.join() }),
    ...(text !== null && { filter: text }),
    ...(orderBy != null && { order_by: orderBy }),
    ...(timeZone != null && { time_zone: timeZone }),
    ...(spreadsheet && sheetQueryOf(spreadsheet)),
  };
}

function sheetQueryOf(sheet: InstanceType<typeof Spreadsheet>): Readonly<Record<string, string>> {
  const { locale, separator, headings, words, byteOrderMark, fileName } = sheet;
  return {
    ...(locale != null && { locale }),
    ...(separator != null && { separator }),
    ...(headings && { headings: JSON.stringify(headings) }),
    ...(words != null && { words: JSON.stringify(words) }),
    ...(byteOrderMark != null && { bom: String(byteOrderMark) }),
    ...(fileName != null && { file_name: fileName }),
  };
}

const exportColumns = g.query('exportColumns', {
  field: {
    ...g.text.list(
      'Columns that an export of the list has for the caller if it names none, for example serialNumber or parsed.amount. Fields of relations, such as group.name, are columns too.',
    ),
    counts: 1,
  },
  args: { kind: g.choice(Kind, 'The list.') },
  resolve: (_source, { caller }, { kind }, { schema }) =>
    g.exportedColumns(schema, caller, EXPORTS[kind]?.field ?? ''),
});

/** The export that an input asks for. Errors: `invalid`, `forbidden`. */
export async function keptIn(
  ctx: Parameters<typeof g.keptExport>[0],
  schema: Parameters<typeof g.keptExport>[1],
  input: InstanceType<typeof ExportInput>,
): ReturnType<typeof g.keptExport> {
  const { field = '' } = EXPORTS[input.kind] ?? {};
  const asked = { field, query: queryOf(input), after: Math.max(input.afterSequence ?? 0, 0) };
  return await g.keptExport(ctx, schema, asked);
}

const exportStart = g.ownMutation('ExportStart', {
  description:
    'Makes a link with which a list can be fetched for 24 hours without a token, by `curl` or a spreadsheet. The records are those that there are now, as they are when they are fetched. The link ends sooner if the caller loses the rights, or the token of the request is revoked.',
  args: { input: g.object(ExportInput, 'The list, and the part of it that is exported.') },
  payload: {
    job: g.object.orNull(JobType, 'The job, whose `result` has the link. Null if nothing was started.'),
  },
  scope: 'read',
  within: (field) => ['input', ...field.split('.')],
  prepare: async (ctx, { input }, { schema }) => await keptIn(ctx, schema, input),
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
  exportColumns,
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
