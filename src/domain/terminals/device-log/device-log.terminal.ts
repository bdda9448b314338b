import { z } from 'zod';

import { UnpackedTooLarge } from '../../../platform/encoding/archive.js';
import { HttpProblem, parameter, type TerminalRoute } from '../../../terminal/index.js';
import type { AdmittedDevice } from '../terminal/access.service.js';
import { logPartOf, MAX_SENT_BYTES, MAX_TEXT_BYTES, PARAMETERS } from './device-log.model.js';
import { cleanPart, storePart } from './device-log.service.js';

export const logRoute: TerminalRoute<AdmittedDevice> = {
  method: 'POST',
  path: '/logs',
  scope: 'terminals',
  operationId: 'createTerminalLog',
  summary: 'Send a log',
  description:
    'The bytes of a log, or of a part of one: text, gzip, or a zip archive with one text. The same name, time and part replace what was sent before, so it may be repeated. Card data is hidden before the text is stored.',
  parameters: Object.entries(PARAMETERS).map(([name, description]) => parameter('query', name, description)),
  bytes: { maxBytes: MAX_SENT_BYTES, types: ['text/plain', 'application/gzip', 'application/zip'] },
  response: z.strictObject({ id: z.string().describe('Number of the log; that of all its parts.') }),
  statuses: { 200: 'Stored.' },
  answer: async (call) => {
    const part = logPartOf(call.query);
    const text = await cleanPart(call.companyId, call.body.bytes).catch((error: unknown) => {
      if (!(error instanceof UnpackedTooLarge)) throw error;
      const message = `The log has more than ${MAX_TEXT_BYTES} bytes when it is unpacked. Send it in parts.`;
      throw new HttpProblem(413, 'too_large', message);
    });
    const id = await call.write((work, device) => storePart(work, device, part, text));
    return { body: { id: String(id) } };
  },
};
