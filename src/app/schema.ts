import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchema } from 'type-graphql';

import { InputError } from '../graphql/schema/payload.js';
import { ViewerResolver } from './viewer.graphql.js';
import { ApiTokenResolver, UserApiTokensResolver } from '../resources/access-token/access-token.graphql.js';
import {
  AppVersionResolver,
  AppVersionsOfAppResolver,
} from '../resources/app-version/app-version.graphql.js';
import {
  AppVersionLinksResolver,
  GroupAppVersionsResolver,
  LogicalNumberAppVersionsResolver,
} from '../resources/app-version/app-version.links.graphql.js';
import { AppVersionMutations } from '../resources/app-version/app-version.mutations.graphql.js';
import { AppResolver } from '../resources/app/app.graphql.js';
import { CompanyUsersResolver, UserCompanyResolver } from '../resources/company/company.graphql.js';
import {
  DeviceMutations,
  DeviceResolver,
  LogicalNumberDevicesResolver,
} from '../resources/device/device.graphql.js';
import { DeviceBulkResolver } from '../resources/device/device.import.graphql.js';
import { DeviceSummaryResolver } from '../resources/device/device.summary.graphql.js';
import { FileResolver } from '../resources/file/file.graphql.js';
import { AppVersionFilesResolver, FileAppVersionsResolver } from '../resources/file/file.links.graphql.js';
import { GroupResolver } from '../resources/group/group.graphql.js';
import { LedgerEntryResolver } from '../resources/ledger-entry/ledger-entry.graphql.js';
import {
  GroupLogicalNumbersResolver,
  LogicalNumberMutations,
  LogicalNumberResolver,
} from '../resources/logical-number/logical-number.graphql.js';
import {
  GroupMetacontentsResolver,
  LogicalNumberMetacontentsResolver,
  MetacontentResolver,
} from '../resources/metacontent/metacontent.graphql.js';
import { NotificationResolver } from '../resources/notification/notification.graphql.js';
import { EffectiveParametersResolver } from '../resources/parameter/effective-parameter.graphql.js';
import { ParameterBulkResolver } from '../resources/parameter/parameter.bulk.graphql.js';
import {
  GroupParametersResolver,
  LogicalNumberParametersResolver,
  ParameterResolver,
} from '../resources/parameter/parameter.graphql.js';
import {
  DeviceTransactionsResolver,
  LogicalNumberTransactionsResolver,
  TransactionResolver,
} from '../resources/transaction/transaction.graphql.js';
import { TransactionRecordedResolver } from '../resources/transaction/transaction.live.graphql.js';
import { TransactionSummaryResolver } from '../resources/transaction/summary/transaction-summary.graphql.js';
import { UserPersonalResolver, UserResolver } from '../resources/user/user.graphql.js';
import { NodeResolver } from './node-lookup.graphql.js';

const FLEET = [
  ApiTokenResolver,
  UserApiTokensResolver,
  AppResolver,
  AppVersionResolver,
  AppVersionMutations,
  AppVersionsOfAppResolver,
  AppVersionLinksResolver,
  LogicalNumberAppVersionsResolver,
  GroupAppVersionsResolver,
  CompanyUsersResolver,
  UserCompanyResolver,
  DeviceResolver,
  DeviceMutations,
  DeviceBulkResolver,
  DeviceSummaryResolver,
  LogicalNumberDevicesResolver,
  FileResolver,
  FileAppVersionsResolver,
  AppVersionFilesResolver,
  GroupResolver,
  LedgerEntryResolver,
  LogicalNumberResolver,
  LogicalNumberMutations,
  GroupLogicalNumbersResolver,
  MetacontentResolver,
  LogicalNumberMetacontentsResolver,
  GroupMetacontentsResolver,
  NotificationResolver,
  ParameterResolver,
  ParameterBulkResolver,
  EffectiveParametersResolver,
  LogicalNumberParametersResolver,
  GroupParametersResolver,
  TransactionResolver,
  TransactionSummaryResolver,
  TransactionRecordedResolver,
  DeviceTransactionsResolver,
  LogicalNumberTransactionsResolver,
  UserResolver,
  UserPersonalResolver,
  NodeResolver,
] as const;

/** Subscriptions read what is kept; the library wants topics all the same. */
const NO_TOPICS = {
  publish: () => undefined,
  subscribe: () => {
    throw new Error('There are no topics');
  },
};

/** The whole schema, put together from what the resources know. */
export async function createSchema(): Promise<GraphQLSchema> {
  const resolvers = [...FLEET, ViewerResolver] as const;
  const schema = await buildSchema({
    resolvers,
    orphanedTypes: [InputError],
    validate: false,
    pubSub: NO_TOPICS,
  });
  describeRoots(schema);
  return schema;
}

const ROOTS = {
  query: 'What can be read.',
  mutation: 'What can be changed; the fields of one operation are executed one after the other.',
  subscription: 'What can be followed as it happens, over a WebSocket or as server-sent events.',
};

/** The library gives the types of operations no description of their own. */
function describeRoots(schema: GraphQLSchema): void {
  const types = { query: schema.getQueryType(), mutation: schema.getMutationType() };
  for (const [operation, type] of Object.entries({ ...types, subscription: schema.getSubscriptionType() })) {
    if (type) type.description = ROOTS[operation as keyof typeof ROOTS];
  }
}
