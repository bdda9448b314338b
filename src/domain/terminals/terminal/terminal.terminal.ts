import { z } from 'zod';

import { parse } from '../../../platform/validate.js';
import type { TerminalRoute } from '../../../terminal/index.js';
import { TerminalReport } from '../../fleet/device/device.model.js';
import { reportDevice } from '../../fleet/device/device.service.js';
import { type AdmittedDevice, demandOwnNumber } from './access.service.js';

const ReportAnswer = z.strictObject({
  ignored: z
    .array(z.string())
    .optional()
    .describe('Names of fields that a report does not have; at most 20.'),
});

/** Route for reports of terminals. */
export const terminalRoutes: readonly TerminalRoute<AdmittedDevice>[] = [
  {
    method: 'POST',
    path: '/report',
    scope: 'terminals',
    operationId: 'reportTerminal',
    summary: 'Report what the terminal is',
    description: 'Absent fields keep their values; `meta` replaces the earlier one. May be repeated.',
    body: TerminalReport,
    bodyTypes: ['application/json'],
    example: { framework_version: '8.31.2', meta: { model: 'V240m', battery_level: '80' } },
    response: ReportAnswer,
    statuses: { 200: 'Stored.' },
    exchange: async (exchange) => {
      const { input, ignored } = await exchange.input('refused');
      await exchange.write(async (work, device) => {
        await demandOwnNumber(work, device, parse(TerminalReport, input).logicalNumber);
        await reportDevice(work, device, input);
      });
      await exchange.sendJson(ignored.length === 0 ? {} : { ignored });
    },
  },
];
