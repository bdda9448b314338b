import { alertGraphql } from '../../domain/base/alert/alert.graphql.js';
import { jobGraphql } from '../../domain/base/job/job.graphql.js';
import { ledgerEntryGraphql, retentionGraphql } from '../../domain/base/ledger/ledger.graphql.js';
import { savedFilterGraphql } from '../../domain/base/saved-filter/saved-filter.graphql.js';
import { searchGraphql } from '../../domain/base/search/search.graphql.js';
import { webhookGraphql } from '../../domain/base/webhook/webhook.graphql.js';
import { bulkChangeGraphql } from '../../domain/fleet/bulk/bulk-change.graphql.js';
import { deviceGraphql } from '../../domain/fleet/device/device.graphql.js';
import { deviceSummaryGraphql } from '../../domain/fleet/device/device.summary.graphql.js';
import { groupGraphql } from '../../domain/fleet/group/group.graphql.js';
import { fleetImportGraphql } from '../../domain/fleet/import/import.graphql.js';
import { logicalNumberGraphql } from '../../domain/fleet/logical-number/logical-number.graphql.js';
import { metacontentGraphql, parameterGraphql } from '../../domain/fleet/setting/setting.graphql.js';
import { deliveryGraphql } from '../../domain/messages/notification/delivery.graphql.js';
import { notificationSummaryGraphql } from '../../domain/messages/notification/notification-summary.graphql.js';
import { notificationGraphql } from '../../domain/messages/notification/notification.graphql.js';
import { transactionRecordingGraphql } from '../../domain/payments/transaction/recording/transaction-recording.graphql.js';
import { transactionSummaryGraphql } from '../../domain/payments/transaction/summary/transaction-summary.graphql.js';
import { transactionGraphql } from '../../domain/payments/transaction/transaction.graphql.js';
import { apiTokenGraphql } from '../../domain/people/access-token/access-token.graphql.js';
import { companyGraphql } from '../../domain/people/company/company.graphql.js';
import { accountLinkGraphql } from '../../domain/people/user/account-link.graphql.js';
import { passkeyGraphql } from '../../domain/people/user/passkey.graphql.js';
import { sessionGraphql } from '../../domain/people/user/session.graphql.js';
import { userGraphql } from '../../domain/people/user/user.graphql.js';
import { viewerGraphql } from '../../domain/people/user/viewer.graphql.js';
import { appGraphql } from '../../domain/software/app/app.graphql.js';
import { appVersionGrantGraphql } from '../../domain/software/app/grant.graphql.js';
import { deviceAtGraphql } from '../../domain/software/device-at/device-at.graphql.js';
import { fileGraphql } from '../../domain/software/file/file.graphql.js';
import { manifestGraphql } from '../../domain/software/manifest/manifest.graphql.js';
import { terminalSoftwareGraphql } from '../../domain/software/manifest/terminal-software.graphql.js';
import { fleetPlanGraphql } from '../../domain/software/plan/plan.graphql.js';
import { rolloutCreateGraphql } from '../../domain/software/rollout/rollout-create.graphql.js';
import { rolloutWaveGraphql } from '../../domain/software/rollout/rollout-wave.graphql.js';
import { rolloutGraphql } from '../../domain/software/rollout/rollout.graphql.js';
import { terminalGraphql } from '../../domain/terminals/terminal/terminal.graphql.js';
import type { GraphqlModule } from '../../graphql/index.js';
import './alert-forms.js';

/** The GraphQL modules of all resources; a new resource is added here. */
export const GRAPHQL_MODULES: readonly GraphqlModule[] = [
  accountLinkGraphql,
  alertGraphql,
  passkeyGraphql,
  apiTokenGraphql,
  appGraphql,
  appVersionGrantGraphql,
  rolloutCreateGraphql,
  rolloutGraphql,
  rolloutWaveGraphql,
  companyGraphql,
  bulkChangeGraphql,
  deviceAtGraphql,
  deviceGraphql,
  deviceSummaryGraphql,
  fileGraphql,
  fleetImportGraphql,
  fleetPlanGraphql,
  groupGraphql,
  jobGraphql,
  ledgerEntryGraphql,
  logicalNumberGraphql,
  manifestGraphql,
  terminalSoftwareGraphql,
  metacontentGraphql,
  notificationGraphql,
  notificationSummaryGraphql,
  deliveryGraphql,
  parameterGraphql,
  retentionGraphql,
  searchGraphql,
  savedFilterGraphql,
  sessionGraphql,
  terminalGraphql,
  transactionGraphql,
  transactionRecordingGraphql,
  transactionSummaryGraphql,
  userGraphql,
  viewerGraphql,
  webhookGraphql,
];
