import { Arg, Ctx, Resolver } from 'type-graphql';

import {
  graphqlModule,
  inputOf,
  recordMutation,
  type GraphqlContext,
  type Input,
} from '../../../graphql/index.js';
import { normalized } from '../../../platform/encoding/text.js';
import { DomainError } from '../../../platform/errors.js';
import { DeviceList } from './device.graphql.js';
import { DeviceReport } from './device.model.js';
import { findDevicesBySerialNumbers, reportDevice } from './device.service.js';

const DeviceReportInput = inputOf('DeviceReportInput', DeviceReport, {
  description: 'What a device reports about itself. Absent fields keep their values.',
  descriptions: {
    frameworkVersion: 'Installed version of the framework. 1 to 64 characters. Null clears it.',
    meta: 'Properties such as brand, model and battery_level: a JSON object of at most 64 texts of at most 1024 characters; a number or boolean counts as its text, 80 as "80". Replaces the earlier ones.',
  },
});

@Resolver()
class DeviceReporting {
  @recordMutation(
    DeviceList,
    'DeviceReport',
    'Records what a device reports about itself. A report without any change is not recorded. Requires the scope INGEST.',
  )
  deviceReport(
    @Arg('serialNumber', () => String, { description: 'Serial number of the device.' }) serialNumber: string,
    @Arg('input', () => DeviceReportInput, { description: 'The report.' }) input: Input,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(
      async (work) => {
        const name = normalized(serialNumber);
        const device = (await findDevicesBySerialNumbers(work, [name])).get(name);
        if (device === undefined) throw unknownDevice();
        return { device: await reportDevice(work, device, input) };
      },
      'ingest',
      (field) => (field === 'serialNumber' ? [field] : ['input', field]),
    );
  }
}

function unknownDevice(): DomainError {
  const message = 'No such device.';
  return new DomainError('not_found', message, { fields: { serialNumber: [message] } });
}

export const deviceReportGraphql = graphqlModule(DeviceReporting);
