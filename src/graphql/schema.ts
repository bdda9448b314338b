import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchema } from 'type-graphql';

import { tellMutations } from './mutation-calls.js';
import { InputError } from './payload.js';
import { ViewerResolver } from './viewer.graphql.js';
import { ApiTokenResolver, UserApiTokensResolver } from '../resources/access-token/access-token.graphql.js';
import { CompanyUsersResolver, UserCompanyResolver } from '../resources/company/company.graphql.js';
import {
  DeviceMutations,
  DeviceResolver,
  LogicalNumberDevicesResolver,
} from '../resources/device/device.graphql.js';
import { DeviceBulkResolver } from '../resources/device/device.import.graphql.js';
import { DeviceSummaryResolver } from '../resources/device/device.summary.graphql.js';
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
import { EffectiveParametersResolver } from '../resources/parameter/effective-parameter.graphql.js';
import { ParameterBulkResolver } from '../resources/parameter/parameter.bulk.graphql.js';
import {
  GroupParametersResolver,
  LogicalNumberParametersResolver,
  ParameterResolver,
} from '../resources/parameter/parameter.graphql.js';
import { UserPersonalResolver, UserResolver } from '../resources/user/user.graphql.js';
import { NodeResolver } from './node-lookup.graphql.js';

const FLEET = [
  ApiTokenResolver,
  UserApiTokensResolver,
  CompanyUsersResolver,
  UserCompanyResolver,
  DeviceResolver,
  DeviceMutations,
  DeviceBulkResolver,
  DeviceSummaryResolver,
  LogicalNumberDevicesResolver,
  GroupResolver,
  LedgerEntryResolver,
  LogicalNumberResolver,
  LogicalNumberMutations,
  GroupLogicalNumbersResolver,
  MetacontentResolver,
  LogicalNumberMetacontentsResolver,
  GroupMetacontentsResolver,
  ParameterResolver,
  ParameterBulkResolver,
  EffectiveParametersResolver,
  LogicalNumberParametersResolver,
  GroupParametersResolver,
  UserResolver,
  UserPersonalResolver,
  NodeResolver,
] as const;

/** The whole schema, put together from what the resources know. */
export async function createSchema(): Promise<GraphQLSchema> {
  const resolvers = [...FLEET, ViewerResolver] as const;
  const schema = await buildSchema({ resolvers, orphanedTypes: [InputError], validate: false });
  tellMutations(schema);
  return schema;
}
