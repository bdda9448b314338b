import { Ctx, Query, Resolver } from 'type-graphql';

import {
  graphqlModule,
  int,
  listOf,
  nullable,
  object,
  objectType,
  searches,
  text,
  type GraphqlContext,
  type Lazy,
} from '../../../graphql/index.js';
import type { DeviceCount, DeviceTotals } from './device.model.js';
import {
  devicesByFrameworkVersion,
  devicesByModel,
  MAX_VALUES,
  totalDevices,
} from './device.summary.service.js';

interface Summary extends DeviceTotals {
  readonly byModel: readonly DeviceCount[];
  readonly byFrameworkVersion: readonly DeviceCount[];
}

const DeviceCountType = objectType<DeviceCount>(
  'DeviceCount',
  'Number of devices that report the same value.',
  {
    value: nullable(text('The value. Null for devices that have not reported one.')),
    count: int('Number of devices.'),
  },
);

export const DeviceSummary = objectType<Summary>('DeviceSummary', 'Numbers of devices in the company.', {
  total: int('All devices.'),
  enabled: int('Devices that may access the service.'),
  disabled: int('Devices that may not access the service.'),
  neverSeen: int(
    'Devices that have never reported `meta` or a framework version. For those whose terminal never sent a request, see `byPresence`.',
  ),
  byModel: listOf(
    object(DeviceCountType, `Devices by model, most frequent model first. At most ${MAX_VALUES} models.`),
  ),
  byFrameworkVersion: listOf(
    object(
      DeviceCountType,
      `Devices by framework version, most frequent version first. At most ${MAX_VALUES} versions.`,
    ),
  ),
});

@Resolver()
class DeviceSummaryQuery {
  @searches(() => [{ rows: 'devices' }])
  @Query(() => DeviceSummary, {
    description: 'Numbers of devices in the company, by state, model and version.',
  })
  deviceSummary(@Ctx() ctx: GraphqlContext): Lazy<Summary> {
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

export const deviceSummaryGraphql = graphqlModule(DeviceSummaryQuery);
