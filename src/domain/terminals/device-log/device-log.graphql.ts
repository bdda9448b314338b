import * as g from '../../../graphql/index.js';
import { DeviceList, DeviceType } from '../../fleet/device/device.graphql.js';
import type { DeviceLog, LineRequest, LogLines } from './device-log.model.js';
import { deviceLogs, logsOfDevice, readLines } from './device-log.service.js';

const NEWEST_FIRST = { order: { field: 'ID', direction: 'desc' } } as const;
const [DEFAULT_LINES, MAX_LINES, MAX_SEARCH, COST] = [200, 500, 200, 150] as const;

const DeviceLogType = g.nodeType<DeviceLog, 'deviceId'>('DeviceLog', 'A log that a terminal has sent.', {
  name: g.text('Name that the terminal gave it, for example `main.log`.'),
  at: g.instant(
    'When it was taken, by the clock of the terminal, or when it arrived if the terminal did not say.',
  ),
  parts: g.int('Number of parts in which the terminal sends it; 1 for most.'),
  receivedParts: g.int('Number of parts that have arrived.'),
  size: g.int('Bytes of the text in UTF-8, of the parts that have arrived.'),
  lineCount: g.int('Number of lines, of the parts that have arrived.'),
  commandId: g.int.orNull('Number of the command that asked for it. Null if the terminal named none.'),
  createdAt: g.instant('When its first part arrived.'),
});

const DeviceLogList = g.listTypes(deviceLogs, DeviceLogType);

const Line = g.objectType<LogLines['nodes'][number]>('DeviceLogLine', 'A line of a log.', {
  number: g.int('Number of the line in the log, from 1.'),
  text: g.text('The line without its end; of a line of more than 2000 characters the first ones, and `…`.'),
});

const Lines = g.objectType<LogLines>('DeviceLogLines', 'Lines of a log, ascending by number.', {
  nodes: g.object.list(Line, 'The lines.'),
  endLine: g.int('Number of the last line that was looked at. Go on with it as `after`.'),
  hasNextPage: g.flag(
    'Whether lines follow that were not looked at: an operation looks at up to 2 MiB of text.',
  ),
});

const LINES = {
  search: g.text.orNull(
    `Only lines that have this text, in any letter case and with any accents: up to ${MAX_SEARCH} characters. All if absent or empty.`,
  ),
  first: g.int.orNull(`Number of lines: 1 to ${MAX_LINES}. Defaults to ${DEFAULT_LINES}.`),
  after: g.int.orNull('Number of the line after which the page begins. Defaults to 0, the beginning.'),
};

/** Errors: BAD_USER_INPUT for values beyond the limits. */
function lineRequest({ search, first, after }: g.ValuesOf<typeof LINES>): LineRequest {
  const request = { search: search ?? '', first: first ?? DEFAULT_LINES, after: after ?? 0 };
  if (request.first < 1 || request.first > MAX_LINES) {
    throw g.requestError(`first takes 1 to ${MAX_LINES}, not ${request.first}.`);
  }
  if (request.after < 0) throw g.requestError(`after takes 0 or the number of a line, not ${request.after}.`);
  if (request.search.length > MAX_SEARCH) {
    throw g.requestError(`search takes up to ${MAX_SEARCH} characters, not ${request.search.length}.`);
  }
  return request;
}

export const deviceLogGraphql = g.graphqlModule(
  g.queries(DeviceLogList, { ...NEWEST_FIRST, listDescription: 'Logs of all devices, the newest first.' }),
  g.fields(DeviceLogType, {
    device: g.required(g.one(DeviceList, 'deviceId', 'The device whose terminal has sent it.')),
    lines: {
      field: g.object(Lines, `Lines of the text, without card data. Adds ${COST} records to the cost.`),
      args: LINES,
      counts: COST,
      resolve: async ({ id }, ctx, args: g.ValuesOf<typeof LINES>) => {
        const request = lineRequest(args);
        const none: LogLines = { nodes: [], endLine: request.after, hasNextPage: false };
        const loader = ctx.loaders.loader<LogLines>(readLines, JSON.stringify(request), async (work, ids) => {
          const found = await readLines(work, ids, request);
          return ids.map((each) => found.get(each) ?? none);
        });
        return await loader.load(id);
      },
    },
  }),
  g.fields(DeviceType, {
    logs: g.many(
      DeviceLogList,
      logsOfDevice,
      'Logs that the terminal has sent, the newest first.',
      NEWEST_FIRST,
    ),
  }),
);
