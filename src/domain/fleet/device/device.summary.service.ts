export {
  devicesByFrameworkVersion,
  devicesByModel,
  MAX_VALUES,
  totalDevices,
} from './device.summary.repository.js';
