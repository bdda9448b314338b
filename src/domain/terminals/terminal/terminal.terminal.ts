import { z } from 'zod';

import { parse } from '../../../platform/validate.js';
import { bearerToken, type TerminalRoute } from '../../../terminal/index.js';
import { TerminalReport } from '../../fleet/device/device.model.js';
import { reportDevice } from '../../fleet/device/device.service.js';
import { type AdmittedDevice, ownNumber } from './access.service.js';
import { renewDeviceToken } from './device-token.service.js';

const ReportAnswer = z.strictObject({
  ignored: z
    .array(z.string())
    .optional()
    .describe('Names of fields that a report does not have; at most 20.'),
});

const TokenAnswer = z.strictObject({
  token: z.string().describe('The new token: 40 hexadecimal characters. It is not shown again.'),
});

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
    answer: async (call) => {
      const { input, ignored } = call.body;
      await call.write(async (work, device) => {
        await ownNumber(work, device, parse(TerminalReport, input).logicalNumber);
        await reportDevice(work, device, input);
      });
      return { body: ignored.length === 0 ? {} : { ignored } };
    },
  },
  {
    method: 'POST',
    path: '/token',
    scope: 'terminals',
    operationId: 'createTerminalToken',
    summary: 'Renew the token of the terminal',
    description:
      'Shows a new token once. The old one ends when the new one is used for the first time, so a terminal that loses the answer still has it; sent again, this replaces the new token that was never used. Only with the token of the device itself.',
    response: TokenAnswer,
    statuses: { 200: 'The new token.' },
    answer: async (call) => {
      const token = await call.write((work, device) =>
        renewDeviceToken(work, device, bearerToken(call.request) ?? ''),
      );
      return { body: { token }, headers: { 'Cache-Control': 'no-store' } };
    },
  },
];
