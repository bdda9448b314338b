import * as g from '../../../graphql/index.js';
import { KEEP_OLD_FOR } from '../../people/access-token/access-token.graphql.js';
import { DeviceList } from '../device/device.graphql.js';
import { bulkChange, ParameterInput } from './bulk-change.graphql.js';
import { DeviceBulkChange } from './bulk-change.model.js';
import { checkDeviceChange, DEVICE_CHANGE } from './device-bulk.service.js';

const TokenInput = g.inputType('DeviceTokenChangeInput', 'A new token of each device.', {
  keepOldFor: KEEP_OLD_FOR,
});

const references = { logicalNumberId: 'LogicalNumber', groupId: 'Group' };

const ChangeInput = g.inputOf('DeviceBulkChangeInput', DeviceBulkChange, {
  description: 'What to change of each device. At least one field; absent fields keep their values.',
  references,
  inputs: { token: TokenInput, parameter: ParameterInput },
  fields: { force: g.FORCE },
  descriptions: {
    token:
      'Issues a new token for each device, which are then in `result` of the job. Requires the scope ADMIN.',
    parameter:
      'Sets a parameter of the logical number of each device. A device without a logical number is refused.',
    groupId:
      'Global id of the group to which the logical numbers of the devices are moved; null takes them out of theirs. A device without a logical number is refused.',
  },
});

export const deviceBulkGraphql = bulkChange(DEVICE_CHANGE, {
  types: DeviceList,
  table: 'devices',
  savedFilters: 'device',
  records: 'devices',
  nameOf: ({ serialNumber }) => serialNumber,
  change: ChangeInput,
  references,
  check: checkDeviceChange,
});
