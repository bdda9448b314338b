import { on } from 'node:events';

import type { Server } from '../app/server.js';
import { readTlsSettings, type Environment } from '../platform/config/config.js';
import { expiryOf } from '../platform/config/tls.js';
import type { Logger } from '../platform/logger.js';

/** SIGHUP signals from now on, also those that arrive before somebody waits for them. They no longer end the process. */
export function catchHangups(): AsyncIterator<unknown> {
  return on(process, 'SIGHUP');
}

/** At each SIGHUP reads the TLS files again. If they cannot be used, logs an error and keeps the earlier certificate. */
export async function renewCertificates(
  hangups: AsyncIterator<unknown>,
  environment: Environment,
  { server, logger }: { readonly server: Server; readonly logger: Logger },
): Promise<never> {
  for (;;) {
    await hangups.next();
    try {
      const tls = readTlsSettings(environment);
      if (tls === null) {
        logger.info('SIGHUP has no effect, since TLS is off');
      } else {
        server.renewCertificate(tls);
        logger.info({ valid_to: expiryOf(tls) }, 'TLS certificate reread');
      }
    } catch (error) {
      logger.error({ err: error }, 'TLS files cannot be used: the earlier certificate stays in use');
    }
  }
}
