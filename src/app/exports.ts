import type { RequestHandler } from 'express';

import { exportedTotals } from '../domain/payments/transaction/summary/exported-totals.service.js';
import type { Exported, SendExport } from '../graphql/export/export.js';
import { notFound } from '../platform/errors.js';
import { EXPORT, exportRoute } from '../rest/export.js';
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

export const EXPORT_ROUTE = exportRoute(Object.keys(EXPORTS));

/** Handler of the route below /export/v1. */
export const createExportRouter = (send: SendExport): RequestHandler =>
  createRouter(EXPORT, [EXPORT_ROUTE], async ({ request, response, query, values }) => {
    const name = values.get('list') ?? '';
    const exported = Object.hasOwn(EXPORTS, name) ? EXPORTS[name] : undefined;
    if (exported === undefined) throw notFound(`list. There are ${Object.keys(EXPORTS).join(', ')}`);
    await send({ ...exported, name, query }, request, response);
  });
