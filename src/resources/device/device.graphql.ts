import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
  ArgsType,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node, withNumbers } from '../../graphql/schema/node.js';
import { payloadOf, present } from '../../graphql/schema/payload.js';
import { JsonValue } from '../../graphql/schema/scalars.js';
import { LogicalNumberType } from '../logical-number/logical-number.graphql.js';
import type { LogicalNumberHead } from '../logical-number/logical-number.model.js';
import { logicalNumbers } from '../logical-number/logical-number.service.js';
import { Audited } from '../user/audited.graphql.js';
import type { Device, DeviceMeta } from './device.model.js';
import {
  createDevice,
  deleteDevice,
  devices,
  devicesOfLogicalNumber,
  getDevice,
  getDeviceBySerialNumber,
  updateDevice,
} from './device.service.js';

@ObjectType('Device', { implements: Node, simpleResolvers: true, description: 'A payment terminal.' })
export class DeviceType extends Audited {
  @Field(() => String, { description: 'Serial number, unique in the company.' })
  serialNumber!: string;

  @Field(() => Boolean, { description: 'Whether the device may access the service.' })
  enabled!: boolean;

  @Field(() => JsonValue, {
    description: 'What the device says of itself: brand, model and the like, as texts.',
  })
  meta!: DeviceMeta;

  @Field(() => String, {
    nullable: true,
    description: 'Version of its framework; null until it reports one.',
  })
  frameworkVersion!: string | null;
}

const DeviceList = listTypes(devices, DeviceType);

const REFERENCES = { logicalNumberId: 'LogicalNumber' };

@InputType({ description: 'A new device.' })
class DeviceCreateInput {
  @Field(() => String, { description: 'Serial number, unique in the company: 1 to 64 characters.' })
  serialNumber!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it may access the service; yes unless told.',
  })
  enabled?: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Logical number that it works under.' })
  logicalNumberId?: string | null;
}

@InputType({ description: 'What changes of a device; what is absent stays.' })
class DeviceUpdateInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether it may access the service.' })
  enabled?: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Logical number that it works under; null takes it off.' })
  logicalNumberId?: string | null;
}

const DeviceCreatePayload = payloadOf('DeviceCreate', 'device', () => DeviceType);
const DeviceUpdatePayload = payloadOf('DeviceUpdate', 'device', () => DeviceType);
const DeviceDeletePayload = payloadOf('DeviceDelete', 'deletedId', () => ID);
const DeviceEnablePayload = payloadOf('DeviceEnable', 'device', () => DeviceType);
const DeviceDisablePayload = payloadOf('DeviceDisable', 'device', () => DeviceType);
const DeviceAssignPayload = payloadOf('DeviceAssign', 'device', () => DeviceType);

/** Changes the device behind an id; `within` says where in the arguments the changed fields stand. */
function change(ctx: GraphqlContext, id: string, input: () => object, within?: readonly string[]) {
  return ctx.change(
    async (work) => {
      const current = await getDevice(work, idOf('Device', id));
      return { device: await updateDevice(work, current, withNumbers(input(), REFERENCES)) };
    },
    'write',
    within,
  );
}

@ArgsType()
class DeviceKeys extends Keys {
  @Field(() => String, { nullable: true, description: 'Its serial number.' })
  serialNumber?: string | null;
}

@Resolver(() => DeviceType)
export class DeviceResolver {
  @Query(() => DeviceType, { nullable: true, description: 'A device by exactly one of its keys.' })
  device(@Args(() => DeviceKeys) keys: DeviceKeys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(devices, keys, { serialNumber: getDeviceBySerialNumber });
  }

  @Query(() => DeviceList.Connection, { description: 'Devices of the company.' })
  devices(@Args(() => DeviceList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(devices, args);
  }

  @FieldResolver(() => LogicalNumberType, {
    nullable: true,
    description: 'Logical number that it works under, if any.',
  })
  logicalNumber(@Root() { logicalNumberId }: Device, @Ctx() ctx: GraphqlContext) {
    return ctx.one(logicalNumbers, logicalNumberId);
  }
}

@Resolver(() => DeviceType)
export class DeviceMutations {
  @Mutation(() => DeviceCreatePayload, { description: 'Creates a device.' })
  deviceCreate(
    @Arg('input', () => DeviceCreateInput, { description: 'What it shall be.' }) input: DeviceCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({ device: await createDevice(work, withNumbers(input, REFERENCES)) }));
  }

  @Mutation(() => DeviceUpdatePayload, { description: 'Changes a device.' })
  deviceUpdate(
    @Arg('id', () => ID, { description: 'Which device.' }) id: string,
    @Arg('input', () => DeviceUpdateInput, { description: 'What changes.' }) input: DeviceUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, () => input);
  }

  @Mutation(() => DeviceDeletePayload, { description: 'Ends the access of a device; its transactions stay.' })
  deviceDelete(
    @Arg('id', () => ID, { description: 'Which device.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await deleteDevice(work, await getDevice(work, idOf('Device', id)));
      return { deletedId: id };
    });
  }

  @Mutation(() => DeviceEnablePayload, { description: 'Lets a device access the service.' })
  deviceEnable(
    @Arg('id', () => ID, { description: 'Which device.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, () => ({ enabled: true }));
  }

  @Mutation(() => DeviceDisablePayload, { description: 'Keeps a device from accessing the service.' })
  deviceDisable(
    @Arg('id', () => ID, { description: 'Which device.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, id, () => ({ enabled: false }));
  }

  @Mutation(() => DeviceAssignPayload, {
    description: 'Puts a device under a logical number, or under none.',
  })
  deviceAssign(
    @Arg('id', () => ID, { description: 'Which device.' }) id: string,
    @Ctx() ctx: GraphqlContext,
    @Arg('logicalNumberId', () => ID, {
      nullable: true,
      description: 'Under which logical number; null takes it off.',
    })
    logicalNumberId?: string | null,
  ) {
    return change(ctx, id, () => ({ logicalNumberId: present('logicalNumberId', logicalNumberId) }), []);
  }
}

@Resolver(() => LogicalNumberType)
export class LogicalNumberDevicesResolver {
  @FieldResolver(() => DeviceList.Connection, { description: 'Devices that work under the number.' })
  devices(
    @Root() number: LogicalNumberHead,
    @Args(() => DeviceList.Args) args: ListArgs,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.children(devicesOfLogicalNumber, number.id, args);
  }
}
