import type { GraphqlModule } from '../../graphql/index.js';
import { apiTokenGraphql } from '../../resources/access-token/access-token.graphql.js';
import { appVersionGrantGraphql } from '../../resources/app-version/app-version.grant.graphql.js';
import { appVersionGraphql } from '../../resources/app-version/app-version.graphql.js';
import { appVersionMutationsGraphql } from '../../resources/app-version/app-version.mutations.graphql.js';
import { appVersionLinksGraphql } from '../../resources/app-version/links/app-version.links.graphql.js';
import { appGraphql } from '../../resources/app/app.graphql.js';
import { assetGraphql } from '../../resources/asset/asset.graphql.js';
import { companyGraphql } from '../../resources/company/company.graphql.js';
import { deviceGraphql } from '../../resources/device/device.graphql.js';
import { deviceImportGraphql } from '../../resources/device/device.import.graphql.js';
import { deviceReportGraphql } from '../../resources/device/device.report.graphql.js';
import { deviceSummaryGraphql } from '../../resources/device/device.summary.graphql.js';
import { presenceGraphql } from '../../resources/device/presence/presence.graphql.js';
import { fileGraphql } from '../../resources/file/file.graphql.js';
import { fileLinksGraphql } from '../../resources/file/file.links.graphql.js';
import { groupGraphql } from '../../resources/group/group.graphql.js';
import { ledgerEntryGraphql } from '../../resources/ledger-entry/ledger-entry.graphql.js';
import { logicalNumberGraphql } from '../../resources/logical-number/logical-number.graphql.js';
import { manifestGraphql } from '../../resources/manifest/manifest.graphql.js';
import { metacontentGraphql } from '../../resources/metacontent/metacontent.graphql.js';
import { deliveryGraphql } from '../../resources/notification/delivery/delivery.graphql.js';
import { notificationGraphql } from '../../resources/notification/notification.graphql.js';
import { effectiveParameterGraphql } from '../../resources/parameter/effective-parameter.graphql.js';
import { parameterBulkGraphql } from '../../resources/parameter/parameter.bulk.graphql.js';
import { parameterGraphql } from '../../resources/parameter/parameter.graphql.js';
import { retentionGraphql } from '../../resources/retention/retention.graphql.js';
import { terminalGraphql } from '../../resources/terminal/terminal.graphql.js';
import { transactionRecordingGraphql } from '../../resources/transaction/recording/transaction-recording.graphql.js';
import { transactionSummaryGraphql } from '../../resources/transaction/summary/transaction-summary.graphql.js';
import { transactionGraphql } from '../../resources/transaction/transaction.graphql.js';
import { transactionLiveGraphql } from '../../resources/transaction/transaction.live.graphql.js';
import { memberGraphql } from '../../resources/user/member/member.graphql.js';
import { memberMutationsGraphql } from '../../resources/user/member/member.mutations.graphql.js';
import { userGraphql } from '../../resources/user/user.graphql.js';

/** The GraphQL modules of all resources; a new resource is added here. */
export const GRAPHQL_MODULES: readonly GraphqlModule[] = [
  apiTokenGraphql,
  appGraphql,
  appVersionGraphql,
  appVersionGrantGraphql,
  appVersionLinksGraphql,
  appVersionMutationsGraphql,
  assetGraphql,
  companyGraphql,
  deviceGraphql,
  deviceImportGraphql,
  deviceReportGraphql,
  deviceSummaryGraphql,
  effectiveParameterGraphql,
  fileGraphql,
  fileLinksGraphql,
  groupGraphql,
  ledgerEntryGraphql,
  logicalNumberGraphql,
  memberGraphql,
  memberMutationsGraphql,
  manifestGraphql,
  metacontentGraphql,
  notificationGraphql,
  deliveryGraphql,
  parameterBulkGraphql,
  parameterGraphql,
  presenceGraphql,
  retentionGraphql,
  terminalGraphql,
  transactionGraphql,
  transactionLiveGraphql,
  transactionRecordingGraphql,
  transactionSummaryGraphql,
  userGraphql,
];
