import type { RequestHandler } from 'express';

import { sendJson } from '../send.js';

/** One condition of readiness; resolves to null if it holds, else to the problem. */
export type Check = () => Promise<string | null>;

/** Whether the server accepts requests: from when it listens until the beginning of its stop. */
export interface Readiness {
  isOn: boolean;
}

/** 200 while the process runs; does no I/O. */
export const alive: RequestHandler = async (_request, response) => {
  await sendJson(response, { status: 'ok' });
};

/** 200 if every check holds, else 503; the body has the result of each check. */
export function ready(readiness: Readiness, checks: Readonly<Record<string, Check>>): RequestHandler {
  const all = { ...checks, running: () => Promise.resolve(readiness.isOn ? null : 'stopping') };
  return async (_request, response) => {
    const results = await Promise.all(
      Object.entries(all).map(async ([name, check]) => [name, await problemOf(check)] as const),
    );
    const isReady = results.every(([, problem]) => problem === null);
    if (!isReady) response.setHeader('Retry-After', '5');
    response.status(isReady ? 200 : 503);
    await sendJson(response, {
      status: isReady ? 'ready' : 'not_ready',
      checks: Object.fromEntries(
        results.map(([name, problem]) => [name, problem === null ? { ok: true } : { ok: false, problem }]),
      ),
    });
  };
}

/** Hides the error of a check that throws: the endpoint needs no authentication. */
async function problemOf(check: Check): Promise<string | null> {
  try {
    return await check();
  } catch {
    return 'failed';
  }
}
