import { z } from 'zod';

import { InstallReport } from '../../../platform/terminal.js';
import type { TerminalRoute } from '../../../terminal/index.js';
import type { AdmittedDevice } from '../../terminals/terminal/access.service.js';
import { noteInstall } from './manifest.service.js';

export const installRoute: TerminalRoute<AdmittedDevice> = {
  method: 'POST',
  path: '/installs',
  scope: 'terminals',
  operationId: 'reportTerminalInstall',
  summary: 'Report an installation',
  description:
    'What became of an application or module of the manifest: it runs, or could not be installed. May be repeated. 404 for a name that the manifest does not have.',
  body: InstallReport,
  bodyTypes: ['application/json'],
  example: { name: 'acme_sale.posxml', crc: '31C3', result: 'failed', code: 'SIGNATURE' },
  response: z.strictObject({}),
  statuses: { 200: 'Stored.' },
  errors: [404, 409],
  answer: async (call) => {
    await call.write((work, device) => noteInstall(work, device, call.body.input));
    return { body: {} };
  },
};
