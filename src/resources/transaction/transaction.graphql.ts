import {
  Args,
  Ctx,
  Field,
  FieldResolver,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { counts } from '../../graphql/schema/counts.js';
import { listTypes } from '../../graphql/schema/list.js';
import { Node } from '../../graphql/schema/node.js';
import { DateTime } from '../../graphql/schema/scalars.js';
import { AppType } from '../app/app.graphql.js';
import { DeviceType } from '../device/device.graphql.js';
import type { Device } from '../device/device.model.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { ParsedPaymentType } from './parsed-payment.graphql.js';
import type { Transaction, TransactionStatus } from './transaction.model.js';
import { appsOf, devicesOf } from './transaction.parties.service.js';
import {
  transactions,
  transactionsOfDevice,
  transactionsOfLogicalNumber,
} from './transaction.totals.service.js';

export const STATUSES: Readonly<Record<Uppercase<TransactionStatus>, TransactionStatus>> = {
  SUCCESS: 'success',
  RUNNING: 'running',
  FAIL: 'fail',
};
registerEnumType(STATUSES, {
  name: 'TransactionStatus',
  description: 'How a transaction ended, if it has.',
  valuesConfig: {
    SUCCESS: { description: 'It went well.' },
    RUNNING: { description: 'It has not ended.' },
    FAIL: { description: 'It failed.' },
  },
});

type TransactionKind = Transaction['transactionType'];
export const TYPES: Readonly<Record<Uppercase<TransactionKind>, TransactionKind>> = {
  COMPANY: 'company',
  SWITCH: 'switch',
  GET_ASSET: 'get_asset',
};
registerEnumType(TYPES, {
  name: 'TransactionType',
  description: 'What a terminal did.',
  valuesConfig: {
    COMPANY: { description: 'A release.' },
    SWITCH: { description: 'A transaction.' },
    GET_ASSET: { description: 'A download.' },
  },
});

@ObjectType('Transaction', {
  implements: Node,
  simpleResolvers: true,
  description: 'What a terminal did, in the words of that time; card numbers are truncated.',
})
export class TransactionNode extends Node {
  @Field(() => TYPES, { description: 'Release, transaction or download.' })
  transactionType!: TransactionKind;

  @Field(() => String, { description: 'Serial number of the device, as it was then.' })
  serialNumber!: string;

  @Field(() => String, { description: 'Logical number that it worked under, as it was then.' })
  logicalNumber!: string;

  @Field(() => String, { description: 'Application that originated it, by its name of then.' })
  appName!: string;

  @Field(() => String, { description: 'Additional details; may be empty.' })
  detail!: string;

  @Field(() => String, { nullable: true, description: "Version of the device's framework." })
  frameworkVersion!: string | null;

  @Field(() => STATUSES, { description: 'How it ended, if it has.' })
  status!: TransactionStatus;

  @Field(() => String, { nullable: true, description: 'What was sent to the host; null where nothing was.' })
  sent!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What was received from the host; null where nothing was.',
  })
  received!: string | null;

  @Field(() => ParsedPaymentType, {
    nullable: true,
    description: 'The payment; of financial applications only, and only of a success.',
  })
  parsed!: Transaction['parsed'];

  @Field(() => DateTime, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it ended; null while it runs.' })
  finishedAt!: Date | null;
}

export const TransactionList = listTypes(transactions, TransactionNode, {
  status: { name: 'TransactionStatus', type: STATUSES },
  transactionType: { name: 'TransactionType', type: TYPES },
});

const NEWEST_FIRST = { field: 'STARTED_AT', direction: 'desc' } as const;

/** Nine in one operation: what few transactions meet is looked for among all of them. */
const FILTERED_COST = 1_000;

@Resolver(() => TransactionNode)
export class TransactionResolver {
  @Query(() => TransactionNode, { nullable: true, description: 'A transaction by exactly one of its keys.' })
  transaction(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(transactions, keys);
  }

  @counts(FILTERED_COST, 'filter')
  @Query(() => TransactionList.Connection, {
    description: `Transactions of the company, newest first unless told. A filter counts as ${FILTERED_COST} records more.`,
  })
  transactions(@Args(() => TransactionList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(transactions, args, 'read', NEWEST_FIRST);
  }

  @FieldResolver(() => DeviceType, {
    nullable: true,
    description: 'Device that has the serial number now; null where none has.',
  })
  device(@Root() transaction: Transaction, @Ctx() ctx: GraphqlContext) {
    return ctx.related(devicesOf, transaction);
  }

  @FieldResolver(() => AppType, {
    nullable: true,
    description: 'App that has the app name now; null where none has.',
  })
  app(@Root() transaction: Transaction, @Ctx() ctx: GraphqlContext) {
    return ctx.related(appsOf, transaction);
  }
}

@Resolver(() => DeviceType)
export class DeviceTransactionsResolver {
  @FieldResolver(() => TransactionList.Connection, {
    description: 'Transactions under its serial number, newest first unless told.',
  })
  transactions(
    @Root() device: Device,
    @Args(() => TransactionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(transactionsOfDevice, device.serialNumber, args, 'read', NEWEST_FIRST);
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberTransactionsResolver {
  @FieldResolver(() => TransactionList.Connection, {
    description: 'Transactions under the number, newest first unless told.',
  })
  transactions(
    @Root() number: LogicalNumberHead,
    @Args(() => TransactionList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(transactionsOfLogicalNumber, number.number, args, 'read', NEWEST_FIRST);
  }
}
