import { bulkMutation, listOf, object, text } from '../../../graphql/index.js';
import { refuseTooManyRows } from '../../../platform/requests/rows.js';
import { DeviceType } from './device.graphql.js';
import { createDevices } from './device.import.service.js';

export const deviceImportGraphql = bulkMutation({
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
