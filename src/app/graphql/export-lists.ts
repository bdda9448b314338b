import { exportedTotals } from '../../domain/payments/transaction/summary/exported-totals.service.js';
import type { Exported, KeptExport } from '../../graphql/index.js';

/** Input of a job that is an export by a link. */
export type StartedExport = KeptExport & { readonly list: string };

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
  alerts: { field: 'Query.alerts' },
  alert_rules: { field: 'Query.alertRules' },
  rollouts: { field: 'Query.rollouts' },
  members: { field: 'Query.users' },
  tokens: { field: 'Query.apiTokens' },
  ledger: { field: 'Query.ledger' },
  webhooks: { field: 'Query.webhooks' },
};
