import type { Response } from 'express';
import type { Duplex } from 'node:stream';

import { onClosed } from '../request-context.js';

const connections = new WeakSet<Duplex>();

/**
 * The request may take as long as it needs: `Timeouts.requestMs` does not end it. For bodies of any length, which are read at a
 * least rate.
 */
export function mayTakeLong(response: Response): void {
  const { socket } = response.req;
  connections.add(socket);
  onClosed(response, () => connections.delete(socket));
}

/** Whether the request on this connection may. */
export function takesLong(connection: Duplex): boolean {
  return connections.has(connection);
}
