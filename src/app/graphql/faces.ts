import type { Face } from '../../graphql/index.js';
import { apiTokenFace } from '../../resources/access-token/access-token.graphql.js';
import { appVersionGrantFace } from '../../resources/app-version/app-version.grant.graphql.js';
import { appVersionFace } from '../../resources/app-version/app-version.graphql.js';
import { appVersionLinksFace } from '../../resources/app-version/links/app-version.links.graphql.js';
import { appVersionMutationsFace } from '../../resources/app-version/app-version.mutations.graphql.js';
import { appFace } from '../../resources/app/app.graphql.js';
import { assetFace } from '../../resources/asset/asset.graphql.js';
import { companyFace } from '../../resources/company/company.graphql.js';
import { deviceFace } from '../../resources/device/device.graphql.js';
import { deviceImportFace } from '../../resources/device/device.import.graphql.js';
import { deviceReportFace } from '../../resources/device/device.report.graphql.js';
import { deviceSummaryFace } from '../../resources/device/device.summary.graphql.js';
import { presenceFace } from '../../resources/device/presence/presence.graphql.js';
import { fileFace } from '../../resources/file/file.graphql.js';
import { fileLinksFace } from '../../resources/file/file.links.graphql.js';
import { groupFace } from '../../resources/group/group.graphql.js';
import { ledgerEntryFace } from '../../resources/ledger-entry/ledger-entry.graphql.js';
import { logicalNumberFace } from '../../resources/logical-number/logical-number.graphql.js';
import { manifestFace } from '../../resources/manifest/manifest.graphql.js';
import { metacontentFace } from '../../resources/metacontent/metacontent.graphql.js';
import { deliveryFace } from '../../resources/notification/delivery/delivery.graphql.js';
import { notificationFace } from '../../resources/notification/notification.graphql.js';
import { effectiveParameterFace } from '../../resources/parameter/effective-parameter.graphql.js';
import { parameterBulkFace } from '../../resources/parameter/parameter.bulk.graphql.js';
import { parameterFace } from '../../resources/parameter/parameter.graphql.js';
import { retentionFace } from '../../resources/retention/retention.graphql.js';
import { terminalFace } from '../../resources/terminal/terminal.graphql.js';
import { transactionRecordingFace } from '../../resources/transaction/recording/transaction-recording.graphql.js';
import { transactionSummaryFace } from '../../resources/transaction/summary/transaction-summary.graphql.js';
import { transactionFace } from '../../resources/transaction/transaction.graphql.js';
import { transactionLiveFace } from '../../resources/transaction/transaction.live.graphql.js';
import { memberFace } from '../../resources/user/member/member.graphql.js';
import { memberMutationsFace } from '../../resources/user/member/member.mutations.graphql.js';
import { userFace } from '../../resources/user/user.graphql.js';

/** The GraphQL faces of all resources; a new resource is added here. */
export const FACES: readonly Face[] = [
  apiTokenFace,
  appFace,
  appVersionFace,
  appVersionGrantFace,
  appVersionLinksFace,
  appVersionMutationsFace,
  assetFace,
  companyFace,
  deviceFace,
  deviceImportFace,
  deviceReportFace,
  deviceSummaryFace,
  effectiveParameterFace,
  fileFace,
  fileLinksFace,
  groupFace,
  ledgerEntryFace,
  logicalNumberFace,
  memberFace,
  memberMutationsFace,
  manifestFace,
  metacontentFace,
  notificationFace,
  deliveryFace,
  parameterBulkFace,
  parameterFace,
  presenceFace,
  retentionFace,
  terminalFace,
  transactionFace,
  transactionLiveFace,
  transactionRecordingFace,
  transactionSummaryFace,
  userFace,
];
