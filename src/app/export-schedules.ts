import type { GraphQLSchema } from 'graphql';

import { mailDueExports } from '../domain/base/export-schedule/export-mail.service.js';
import { makeDueExports, type ExportTools } from '../domain/base/export-schedule/export-schedule.service.js';
import type { HttpHandlerParts } from './http-handlers.js';
import { MinuteWork } from './minute-work.js';

type ExportSchedulesParts = Pick<HttpHandlerParts, 'units' | 'database' | 'mail' | 'tokenSecret' | 'onError'>;

/** Makes the scheduled exports whose time has come, and sends their e-mails. */
export const createExportSchedules = (parts: ExportSchedulesParts): MinuteWork =>
  new MinuteWork(parts, 'exports', async (tools) => {
    await makeDueExports({ ...tools, units: parts.units, measure });
    await mailDueExports({ ...parts, ...tools });
  });

/** Loads GraphQL for the first export. */
const measure: ExportTools['measure'] = async (work, { list, input: { query } }, after) => {
  const schema = await loadSchema();
  const { measureExport } = await import('../graphql/export/start.js');
  const { EXPORTS } = await import('./graphql/export-lists.js');
  return await measureExport(work, schema, { field: EXPORTS[list]?.field ?? '', query, after });
};

/** The schema, with the types of filters that are kept as JSON. */
export async function loadSchema(): Promise<GraphQLSchema> {
  // Before type-graphql, which the built program loads before the first line of schema.ts.
  await import('reflect-metadata');
  const { createSchema } = await import('./graphql/schema.js');
  return await createSchema();
}
