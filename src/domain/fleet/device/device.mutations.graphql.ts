import { Arg, Ctx, Resolver } from 'type-graphql';

import {
  bulkMutation,
  type GraphqlContext,
  graphqlModule,
  type Input,
  inputOf,
  listOf,
  object,
  recordMutation,
  text,
} from '../../../graphql/index.js';
import { normalized } from '../../../platform/encoding/text.js';
import { DomainError } from '../../../platform/errors.js';
import { refuseTooManyRows } from '../../../platform/requests.js';
import { DeviceList, DeviceType } from './device.graphql.js';
import { DeviceReport } from './device.model.js';
import { createDevices, findDevicesBySerialNumbers, reportDevice } from './device.service.js';

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

const deviceImport = bulkMutation({
  name: 'DeviceBulkCreate',
  description: 'Creates up to 1000 devices.',
  argument: 'serialNumbers',
  rows: listOf(text('Serial numbers of the new devices.')),
  field: 'device',
  record: object(DeviceType, 'The new device. Null if it was not created.'),
  countDescription: 'Number of devices created; 0 if an invalid row rejected the batch.',
  prepare: async (serialNumbers) => {
    refuseTooManyRows('serialNumbers', serialNumbers);
    return await Promise.resolve(serialNumbers);
  },
  run: async (work, serialNumbers, errorPolicy) => {
    const rows = await createDevices(work, serialNumbers, errorPolicy);
    return rows.map(({ index, device, problems, isTaken }) => {
      const path = ['serialNumbers', String(index)];
      const code = isTaken ? 'TAKEN' : 'INVALID';
      const userErrors = problems.map((message) => ({ message, path, code }) as const);
      return { index, record: device, userErrors };
    });
  },
});

export const deviceMutationsGraphql = graphqlModule(DeviceReporting, deviceImport);
