import type { IncomingMessage } from 'node:http';

import { enterEventLoop } from '../../platform/concurrency/event-loop.js';
import { incompleteBody } from './body.js';
import { watchRate, type BodyRate } from './least-rate.js';

/**
 * The bytes of a body of any length as they arrive. The next ones are received when those before are handled: until then,
 * the connection keeps the client waiting. Errors: 408 too slow; 400 for a body that ends early.
 */
export async function* bodyPieces(
  request: IncomingMessage,
  rate: BodyRate,
): AsyncGenerator<Buffer, undefined> {
  const arrived: Buffer[] = [];
  const body = { state: request.readableEnded ? 'ended' : 'open' } as { state: 'open' | 'ended' | Error };
  let wake = (): void => undefined;
  const take = (piece: Buffer): void => {
    arrived.push(piece);
    request.pause();
    wake();
  };
  const finish = (result: 'ended' | Error): void => {
    if (body.state === 'open') body.state = result;
    wake();
  };
  const end = (): void => finish('ended');
  const fail = (): void => finish(incompleteBody());
  // A listener for data would begin to receive.
  request.pause();
  const unwatch = watchRate(request, rate, finish);
  request.on('data', take).on('end', end).on('error', fail).on('close', fail);
  try {
    for (;;) {
      const piece = arrived.shift();
      if (piece !== undefined) yield piece;
      else if (body.state === 'ended') return;
      else if (body.state !== 'open') throw body.state;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
          request.resume();
        });
        await enterEventLoop();
      }
    }
  } finally {
    unwatch();
    request.off('data', take).off('end', end).off('error', fail).off('close', fail);
  }
}
