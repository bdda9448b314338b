import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';

import type { GraphqlContext } from '../../graphql/execution/context.js';
import type { DeviceTotals } from './device.model.js';
import {
  devicesByFrameworkVersion,
  devicesByModel,
  MAX_VALUES,
  totalDevices,
} from './device.summary.service.js';

@ObjectType({ simpleResolvers: true, description: 'How many devices say the same of themselves.' })
class DeviceCount {
  @Field(() => String, { nullable: true, description: 'What they say; null for those that do not.' })
  value!: string | null;

  @Field(() => Int, { description: 'Number of devices.' })
  count!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The devices of the company in numbers.' })
class DeviceSummary {
  @Field(() => Int, { description: 'All devices.' })
  total!: never;

  @Field(() => Int, { description: 'Those that may access the service.' })
  enabled!: never;

  @Field(() => Int, { description: 'Those that may not.' })
  disabled!: never;

  @Field(() => Int, { description: 'Those that have not said anything of themselves yet.' })
  neverSeen!: never;

  @Field(() => [DeviceCount], { description: `By model, most devices first, at most ${MAX_VALUES} models.` })
  byModel!: never;

  @Field(() => [DeviceCount], {
    description: `By version of the framework, most devices first, at most ${MAX_VALUES} versions.`,
  })
  byFrameworkVersion!: never;
}

@Resolver()
export class DeviceSummaryResolver {
  @Query(() => DeviceSummary, { description: 'The devices of the company in numbers.' })
  deviceSummary(@Ctx() ctx: GraphqlContext) {
    const total = (name: keyof DeviceTotals) => async () => (await ctx.loadOnce(totalDevices))[name];
    return {
      total: total('total'),
      enabled: total('enabled'),
      disabled: total('disabled'),
      neverSeen: total('neverSeen'),
      byModel: () => ctx.loadOnce(devicesByModel),
      byFrameworkVersion: () => ctx.loadOnce(devicesByFrameworkVersion),
    };
  }
}
