import { responseTexts } from '../../domain/payments/transaction/response-code.service.js';
import { exportedTotals } from '../../domain/payments/transaction/summary/exported-totals.service.js';
import { amountDecimals } from '../../domain/people/company/company.service.js';
import type { Exported, KeptExport } from '../../graphql/index.js';

/** Input of a job that is an export by a link. */
export type StartedExport = KeptExport & { readonly list: string };

const CHOICE = { isChoice: true };
const KIND = { cells: () => Promise.resolve({ kind: CHOICE }) };

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
  transactions: {
    field: 'Query.transactions',
    totals: exportedTotals,
    cells: async (work) => ({
      'parsed.amount': { decimals: await amountDecimals(work) },
      'parsed.statusReason': { text: await responseTexts(work) },
      'parsed.captureMethod': CHOICE,
      'parsed.installment.type': CHOICE,
      'parsed.paymentMethod': CHOICE,
      'parsed.type': CHOICE,
    }),
  },
  notifications: { field: 'Query.notifications' },
  deliveries: { field: 'Notification.deliveries' },
  commands: { field: 'Query.commands', cells: () => Promise.resolve({ action: CHOICE }) },
  device_logs: { field: 'Query.deviceLogs' },
  unknown_terminals: { field: 'Query.unknownTerminals' },
  jobs: { field: 'Query.jobs', ...KIND },
  alerts: { field: 'Query.alerts', ...KIND },
  alert_rules: { field: 'Query.alertRules' },
  rollouts: { field: 'Query.rollouts' },
  members: { field: 'Query.users' },
  tokens: { field: 'Query.apiTokens' },
  ledger: { field: 'Query.ledger' },
  webhooks: { field: 'Query.webhooks' },
};
