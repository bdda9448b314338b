import type { RequestHandler } from 'express';

/**
 * One handler that calls others in order, each when the one before has called `next`. An error that one of them throws,
 * rejects with or gives to `next` goes to the error handlers of Express. Express itself would match the path anew for
 * each handler.
 */
export function chain(handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => {
    let calls = 0;
    const goOn = (error?: unknown): void => {
      const handler = error === undefined ? handlers[calls] : undefined;
      calls += 1;
      if (handler === undefined) {
        next(error);
        return;
      }
      try {
        const handled: unknown = handler(request, response, goOn);
        if (handled instanceof Promise) handled.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    goOn();
  };
}
