import type { Response } from 'express';

import { afterTurn, isTurnOver } from '../platform/concurrency/event-loop.js';

interface Ending {
  readonly response: Response;
  readonly body: string | Buffer;
  readonly encoding: BufferEncoding;
}

let endings: Ending[] = [];

/**
 * Ends a response with its whole body, together with the others of this turn of the event loop. To write to a connection
 * wakes its client if that waits; a client, or a proxy before many, that already reads responses need not be woken for
 * each.
 */
export function endTogether(response: Response, body: string | Buffer, encoding: BufferEncoding): void {
  endings.push({ response, body, encoding });
  if (isTurnOver()) endAll();
  else if (endings.length === 1) afterTurn(endAll);
}

function endAll(): void {
  const all = endings;
  endings = [];
  for (const { response, body, encoding } of all) {
    if (!response.destroyed && !response.writableEnded) response.end(body, encoding);
  }
}
