import { z } from 'zod';

import { isObject } from '../../../platform/validate.js';
import { parameter, type TerminalRoute } from '../../../terminal/index.js';
import type { AdmittedDevice } from '../../terminals/terminal/access.service.js';
import { CommandReport } from './command.model.js';
import { reportCommand, reportDone } from './command.service.js';

export const commandRoute: TerminalRoute<AdmittedDevice> = {
  method: 'POST',
  path: '/commands/{id}',
  scope: 'terminals',
  operationId: 'reportTerminalCommand',
  summary: 'Report what became of a command',
  description:
    'Confirms the command too, unless the terminal has. The same report may be repeated. 404 if the terminal was not given the command, 422 if it has reported something else before.',
  parameters: [{ ...parameter('path', 'id', 'The `command` of the notification.'), example: '18' }],
  body: CommandReport,
  bodyTypes: ['application/json'],
  example: { state: 'failed', code: 'BATTERY', detail: '4 %' },
  response: z.strictObject({}),
  statuses: { 200: 'Stored.' },
  errors: [404],
  answer: async (call) => {
    const id = call.values.get('id') ?? '';
    const { input } = call.body;
    // Most of a fleet says no more than this.
    const isPlain = isObject(input) && input.state === 'done' && Object.keys(input).length === 1;
    if (isPlain) await call.writeTogether(reportDone, id);
    else await call.write((work, device) => reportCommand(work, device, id, input));
    return { body: {} };
  },
};
