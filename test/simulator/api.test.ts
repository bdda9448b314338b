import { expect, it } from 'vitest';

import { Api, SimulationRefused } from '../../src/simulator/api.js';
import type { HttpClient } from '../../src/simulator/http-client.js';
import { Pauses } from '../../src/simulator/shared.js';

/** An API whose server gives these answers to queries, one after the other. */
function apiOf(answers: readonly object[]) {
  const left = answers.map((answer) => Buffer.from(JSON.stringify(answer)));
  const ask = (): object => ({ status: 200, headers: {}, body: left.shift(), isCut: false });
  return { left, api: new Api({ ask } as unknown as HttpClient, 'secret', new Pauses()) };
}

const BUSY = { errors: [{ message: 'busy', extensions: { code: 'UNAVAILABLE', retryAfter: 1 } }] };
const FORBIDDEN = { errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] };

it('asks a server again that is busy, and no other one', async () => {
  const { api, left } = apiOf([BUSY, { data: { viewer: null } }, FORBIDDEN, BUSY]);
  expect(await api.graphql('{ viewer { id } }', {})).toEqual({ viewer: null });
  await expect(api.graphql('{ viewer { id } }', {})).rejects.toThrow(SimulationRefused);
  expect(left).toHaveLength(1);
});
