import type { RequestHandler } from 'express';

/** One thing that must be so before the server is ready; resolves to null, or to why it is not. */
export type Check = () => Promise<string | null>;

/** Whether requests are welcome; off as soon as the server begins to stop. */
export class Readiness {
  #on = false;

  get isOn(): boolean {
    return this.#on;
  }

  turnOn(): void {
    this.#on = true;
  }

  turnOff(): void {
    this.#on = false;
  }
}

/** Says that the process runs; without any input or output. */
export const alive: RequestHandler = (_request, response) => {
  response.json({ status: 'ok' });
};

/** Says whether requests can be served, check by check; 503 where not. */
export function ready(readiness: Readiness, checks: Readonly<Record<string, Check>>): RequestHandler {
  const all = { ...checks, running: () => Promise.resolve(readiness.isOn ? null : 'stopping') };
  return async (_request, response) => {
    const results = await Promise.all(
      Object.entries(all).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const isReady = results.every(([, problem]) => problem === null);
    if (!isReady) response.setHeader('Retry-After', '5');
    response.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'not_ready',
      checks: Object.fromEntries(
        results.map(([name, problem]) => [name, problem === null ? { ok: true } : { ok: false, problem }]),
      ),
    });
  };
}

/** What goes wrong in a check is told by name only: anybody may ask. */
async function outcome(check: Check): Promise<string | null> {
  try {
    return await check();
  } catch {
    return 'failed';
  }
}
