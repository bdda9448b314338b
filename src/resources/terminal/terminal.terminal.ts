import type { TerminalRoute } from '../../terminal/index.js';
import { DeviceReport } from '../device/device.model.js';
import { reportDevice } from '../device/device.service.js';
import type { AdmittedDevice } from './terminal-access.service.js';

/** What terminals report. */
export const terminalRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    method: 'POST',
    path: '/report',
    body: DeviceReport,
    write: async (work, device, input) => {
      await reportDevice(work, device, input);
      return {};
    },
  },
];
