import type { RequestHandler } from 'express';

import type { Units } from '../database/work.js';
import { findExport } from '../domain/base/job/export-link.service.js';
import { logFileName, readText } from '../domain/terminals/device-log/device-log.service.js';
import { beginTokenFile, tokensOfJob } from '../domain/terminals/terminal/device-token.service.js';
import type { Exported, SendExport, WrittenFile } from '../graphql/export/export.js';
import { requestContextOf } from '../http/request.js';
import { cell } from '../platform/encoding/csv.js';
import { notFound } from '../platform/errors.js';
import { idFromText } from '../platform/validate.js';
import { EXPORT, exportRoute, FILE_ROUTE, LOG_ROUTE, TOKENS_ROUTE } from '../rest/export.js';
import { createRouter } from '../rest/router.js';
import { EXPORTS, type StartedExport } from './graphql/export-lists.js';

export const EXPORT_ROUTES = [exportRoute(Object.keys(EXPORTS)), TOKENS_ROUTE, FILE_ROUTE, LOG_ROUTE];

interface LinkParts {
  readonly units: Units;
  readonly tokenSecret: string;
}

export const createExportRouter = (send: SendExport, { units, tokenSecret }: LinkParts): RequestHandler =>
  createRouter(EXPORT, EXPORT_ROUTES, async ({ route, request, response, query, values }) => {
    const job = values.get('job');
    if (route === FILE_ROUTE) {
      const link = { job: job ?? '', key: query.get('key') ?? '' };
      const find = () => findExport(units, tokenSecret, link, requestContextOf(response));
      const { job: started, caller } = await find();
      await units.write(caller, (work) => {
        work.ledger.append({ action: 'fetch', entityType: 'job', entityId: started.id });
        return Promise.resolve();
      });
      const { list, query: kept, ...range } = started.input as unknown as StartedExport;
      const asked = { ...exportNamed(list), name: list, query: new Map(Object.entries(kept)), range };
      await send(asked, request, response, { findCaller: async () => (await find()).caller });
      return;
    }
    if (job !== undefined) {
      await send(tokenFile(job, tokenSecret), request, response);
      return;
    }
    if (route === LOG_ROUTE) {
      await send(logFile(values.get('log') ?? ''), request, response);
      return;
    }
    const name = values.get('list') ?? '';
    await send({ ...exportNamed(name), name, query }, request, response);
  });

function exportNamed(name: string): Exported {
  const exported = Object.hasOwn(EXPORTS, name) ? EXPORTS[name] : undefined;
  if (exported === undefined) throw notFound(`list. There are ${Object.keys(EXPORTS).join(', ')}`);
  return exported;
}

/** The tokens that a job has issued. Errors: `not_found`. */
function tokenFile(text: string, tokenSecret: string): WrittenFile {
  // No job has the number 0: the token of the request is checked first.
  const id = idFromText(text) ?? 0;
  return {
    type: 'text/csv',
    scope: 'admin',
    head: 'serial_number,token\r\n',
    begin: async (context) => {
      await context.write('admin', (work) => beginTokenFile(work, id));
      return `tokens-${id}.csv`;
    },
    read: async (work, after) => {
      const page = await tokensOfJob(work, tokenSecret, id, after);
      const lines = page?.tokens.map(({ serialNumber, token }) => `${cell(serialNumber)},${token}\r\n`);
      return page && { lines: lines ?? [], last: page.last };
    },
  };
}

/** The text of a log that a terminal has sent. Errors: `not_found`. */
function logFile(text: string): WrittenFile {
  // No log has the number 0: the token of the request is checked first.
  const id = idFromText(text) ?? 0;
  return {
    type: 'text/plain',
    scope: 'read',
    head: '',
    begin: (context) => context.read('read', (work) => logFileName(work, id)),
    read: (work, after) => readText(work, id, after),
  };
}
