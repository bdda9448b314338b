import type { RequestHandler } from 'express';

import { exportedTotals } from '../domain/payments/transaction/summary/exported-totals.service.js';
import { beginTokenFile, tokensOfJob } from '../domain/terminals/terminal/device-token.service.js';
import type { Exported, SendExport, WrittenFile } from '../graphql/export/export.js';
import { cell } from '../graphql/export/lines.js';
import { notFound } from '../platform/errors.js';
import { idFromText } from '../platform/validate.js';
import { EXPORT, exportRoute, TOKENS_ROUTE } from '../rest/export.js';
import { createRouter } from '../rest/router.js';

/** Each list that can be exported, with the field of the schema that shows it. */
export const EXPORTS: Readonly<Record<string, Exported>> = {
  devices: { field: 'Query.devices' },
  logical_numbers: { field: 'Query.logicalNumbers' },
  groups: { field: 'Query.groups' },
  apps: { field: 'Query.apps' },
  app_versions: { field: 'Query.appVersions' },
  files: { field: 'Query.files' },
  parameters: { field: 'Query.parameters' },
  metacontents: { field: 'Query.metacontents' },
  transactions: { field: 'Query.transactions', totals: exportedTotals },
  notifications: { field: 'Query.notifications' },
  deliveries: { field: 'Notification.deliveries' },
  unknown_terminals: { field: 'Query.unknownTerminals' },
  jobs: { field: 'Query.jobs' },
  members: { field: 'Query.users' },
  tokens: { field: 'Query.apiTokens' },
  ledger: { field: 'Query.ledger' },
  webhooks: { field: 'Query.webhooks' },
};

export const EXPORT_ROUTES = [exportRoute(Object.keys(EXPORTS)), TOKENS_ROUTE];

/** Handler of the routes below /export/v1. */
export const createExportRouter = (send: SendExport): RequestHandler =>
  createRouter(EXPORT, EXPORT_ROUTES, async ({ request, response, query, values }) => {
    const job = values.get('job');
    if (job !== undefined) {
      await send(tokenFile(job), request, response);
      return;
    }
    const name = values.get('list') ?? '';
    const exported = Object.hasOwn(EXPORTS, name) ? EXPORTS[name] : undefined;
    if (exported === undefined) throw notFound(`list. There are ${Object.keys(EXPORTS).join(', ')}`);
    await send({ ...exported, name, query }, request, response);
  });

/** The tokens that a job has issued. Errors: `not_found`. */
function tokenFile(text: string): WrittenFile {
  // No job has the number 0: the token of the request is checked first.
  const id = idFromText(text) ?? 0;
  return {
    name: `tokens-${id}`,
    scope: 'admin',
    head: 'serial_number,token\r\n',
    begin: (work) => beginTokenFile(work, id),
    read: async (work, after, { tokenSecret }) => {
      const page = await tokensOfJob(work, tokenSecret, id, after);
      const lines = page?.tokens.map(({ serialNumber, token }) => `${cell(serialNumber)},${token}\r\n`);
      return page && { lines: lines ?? [], last: page.last };
    },
  };
}
