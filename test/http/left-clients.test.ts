import { afterEach, describe, expect, it, vi } from 'vitest';

import { Semaphore } from '../../src/platform/concurrency/semaphore.js';
import { useServer } from '../support/server.js';
import { graphqlPost, openSlowClient } from '../support/slow-client.js';

const server = useServer();
afterEach(() => {
  vi.restoreAllMocks();
});

const SHOWN = 'logicalNumbers(first: 50) { nodes { appVersions(first: 50) { nodes { id } } } }';
const QUERY = `{ groups(first: 2) { nodes { ${SHOWN} } } }`;
const CHANGE = `mutation { groupCreate(input: { name: "left" }) { group { ${SHOWN} } } }`;
const operation = (query: string) => (token: string) => graphqlPost(token, JSON.stringify({ query }));
const list = (token: string): string =>
  `GET /v1/transactions?access_token=${token} HTTP/1.1\r\nHost: gateway\r\n\r\n`;

/** Takes both places of the company for lists, sends a request that waits, and leaves. Returns what it waited for. */
async function leave(
  request: (token: string) => string,
): Promise<{ readonly left: Promise<unknown>; end: () => Promise<unknown> }> {
  const { acme, app } = server;
  const held = Promise.withResolvers<undefined>();
  const read = app.units.read.bind(app.units);
  const reading = vi.spyOn(app.units, 'read').mockImplementation(async (...given) => {
    await held.promise;
    return await read(...given);
  });
  const acquire = vi.spyOn(Semaphore.prototype, 'acquire');
  /** Results of the calls for places: the first one with a signal is one of a list. */
  const waiting = () => {
    const first = acquire.mock.calls.findIndex(([, signal]) => signal !== undefined);
    const places = acquire.mock.contexts[first];
    return acquire.mock.results.filter((_, call) => acquire.mock.contexts[call] === places);
  };
  const lists = [1, 2].map(() => acme.client.get('transactions'));
  await vi.waitFor(() => expect(reading).toHaveBeenCalledTimes(2), 10_000);
  const client = await openSlowClient(server.url);
  await client.send(request(acme.token));
  await vi.waitFor(() => expect(waiting()).toHaveLength(3), 10_000);
  client.socket.destroy();
  // Requests that come later are answered after the server has seen that.
  for (let n = 0; n < 3; n++) await server.anonymous.get('healthz');
  const [, , third] = waiting();
  const end = async () => {
    held.resolve(undefined);
    return await Promise.all(lists);
  };
  return { left: third?.value as Promise<unknown>, end };
}

describe('RU-95 a client that leaves while its request waits for a place', () => {
  it.each([
    ['a list', list],
    ['a query', operation(QUERY)],
  ])('gives up its turn with %s', async (_what, request) => {
    const { left, end } = await leave(request);
    await expect(left).rejects.toThrow('The client has left.');
    await end();
  });

  it('has its change made', async () => {
    const { left, end } = await leave(operation(CHANGE));
    await end();
    await expect(left).resolves.toBeTypeOf('function');
    await vi.waitFor(async () => {
      expect((await server.acme.client.get('groups/left')).status).toBe(200);
    }, 10_000);
  });
});
