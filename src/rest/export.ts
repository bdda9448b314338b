import { z } from 'zod';

import { NDJSON_TYPE } from './lines.js';
import { parameter, type RouteBase } from './route.js';

export const EXPORT = '/export/v1';

const Line = z.looseObject({}).meta({
  description: 'A record with its columns. The last line of NDJSON has `totals` and `after` instead.',
});

const JOB = parameter('path', 'job', 'Number of the job: its `databaseId` in GraphQL.');

const COMPANY = parameter(
  'query',
  'company',
  'For pages of this server alone, which need it: global id of the company that the page shows. 409 if the session has another one by now.',
);

const SPREADSHEET = [
  parameter(
    'query',
    'locale',
    'Of a spreadsheet: language of decimals, times, flags and reasons. Default: en.',
    { enum: ['en', 'pt'] },
  ),
  parameter(
    'query',
    'separator',
    'Of a spreadsheet: what separates cells. Default: semicolon in Portuguese, otherwise comma.',
    { enum: ['comma', 'semicolon', 'tab'] },
  ),
  parameter(
    'query',
    'headings',
    'Of a spreadsheet: the first row, as a JSON list with one text for each column. Default: names of the columns.',
  ),
  parameter(
    'query',
    'bom',
    'Of a spreadsheet: whether the file begins with a byte order mark, by which Excel recognizes UTF-8. Default: 1.',
    { type: 'boolean' },
  ),
  parameter(
    'query',
    'file_name',
    'Of a spreadsheet: name of the file, before the day. Default: name of the list.',
  ),
];

const PARAMETERS = [
  parameter(
    'query',
    'format',
    'A table for programs, a table for spreadsheets, or one JSON object per line. Default: csv.',
    { enum: ['csv', 'spreadsheet', 'ndjson'] },
  ),
  parameter(
    'query',
    'columns',
    'Columns, separated by commas: fields of the records in GraphQL, in snake case or as they are; `group.name` for a field of a relation, and `group` for its name. Default: all.',
  ),
  parameter(
    'query',
    'filter',
    'Filter of the list in GraphQL, as JSON: `{"createdAt":{"gte":"2026-01-01T00:00:00Z"}}`.',
  ),
  parameter(
    'query',
    'order_by',
    'Order of the list as in GraphQL, for example `created_at` or `created_at.desc`. Default: the one that is fastest to read.',
  ),
  parameter('query', 'time_zone', 'IANA time zone of all times. Default: UTC.'),
  parameter(
    'query',
    'after',
    'Goes on after a record: `after` of a last line, or the `database_id` of the last record received.',
  ),
  parameter('query', 'totals', 'Whether CSV has the last line with totals, too.', { type: 'boolean' }),
  ...SPREADSHEET,
  COMPANY,
];

export const exportRoute = (lists: readonly string[]): RouteBase => ({
  method: 'GET',
  path: '/{list}',
  scope: 'read',
  operationId: 'exportList',
  summary: 'Export a list',
  description:
    'All records of a list that meet the filter, sent as they are read. Filters may also be parameters, for example `created_at.gte=2026-01-01T00:00:00Z`. CSV has a header and records; a spreadsheet gets amounts in units and local times. The last line of NDJSON has totals and where to go on. A response that was cut lacks its end, which clients of HTTP report. Members, tokens, ledger and webhooks need the scope `admin`.',
  parameters: [
    { ...parameter('path', 'list', 'Name of the list.', { enum: lists }), example: 'devices' },
    ...PARAMETERS,
  ],
  response: Line,
  responseType: NDJSON_TYPE,
  textType: 'text/csv',
  errors: [404, 409],
  statuses: { 200: 'CSV, or NDJSON in which each line is such an object.' },
});

export const TOKENS_ROUTE: RouteBase = {
  method: 'GET',
  path: '/jobs/{job}/tokens',
  scope: 'admin',
  operationId: 'exportJobTokens',
  summary: 'Export the tokens that a job has issued',
  description:
    'CSV with the columns serial_number and token, until 24 hours after the end of the job. Tokens that were replaced or revoked since are not in it. A response that was cut lacks its end, which clients of HTTP report. Each fetch is in the ledger.',
  parameters: [{ ...JOB, example: '12' }, COMPANY],
  response: z.string(),
  responseType: 'text/csv',
  errors: [404, 409],
  statuses: { 200: 'The tokens.' },
};

export const FILE_ROUTE: RouteBase = {
  method: 'GET',
  path: '/jobs/{job}/file',
  scope: null,
  operationId: 'exportJobFile',
  summary: 'Fetch an export by its link',
  description:
    'The records that there were when `exportStart` of GraphQL made the link, as they are now. No token is needed: the link is one, for 24 hours, as long as the person who made it has the rights, and the token that made it is valid. Each fetch is in the ledger.',
  parameters: [JOB, { ...parameter('query', 'key', 'The secret of the link.'), required: true }],
  response: Line,
  responseType: NDJSON_TYPE,
  textType: 'text/csv',
  errors: [404],
  statuses: { 200: 'CSV or NDJSON, as the link was made for.' },
};

export const LOG_ROUTE: RouteBase = {
  method: 'GET',
  path: '/logs/{log}',
  scope: 'read',
  operationId: 'exportLog',
  summary: 'Export a log of a terminal',
  description:
    'The text of a log in UTF-8, as far as its parts have arrived, without card data. A response that was cut lacks its end, which clients of HTTP report.',
  parameters: [
    { ...parameter('path', 'log', 'Number of the log: its `databaseId` in GraphQL.'), example: '12' },
    COMPANY,
  ],
  response: z.string(),
  responseType: 'text/plain',
  errors: [404, 409],
  statuses: { 200: 'The text.' },
};
