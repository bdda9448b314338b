import { createClient } from 'graphql-sse';
import { describe, expect, it } from 'vitest';

import { fleet } from '../../support/fleet.js';
import { useServer } from '../../support/server.js';
import { lastSequence } from '../../support/subscribe.js';

const server = useServer();

const VIEWER = '{ viewer { role } }';
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.acme.token}` });

/** The results of an operation, and whether its stream was completed. */
async function results(payload: {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}) {
  const client = createClient({ url: `${server.url}/graphql/stream`, headers: bearer(), retryAttempts: 0 });
  const received: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    client.subscribe(payload, {
      next: (result) => received.push(result),
      error: reject,
      complete: resolve,
    });
  });
  client.dispose();
  return received;
}

describe('the client of graphql-sse in distinct connections mode', () => {
  it.each([
    ['a text that cannot be parsed', '{', undefined, 'GRAPHQL_PARSE_FAILED'],
    ['an operation that does not exist', VIEWER, 'Other', 'OPERATION_RESOLUTION_FAILURE'],
  ])('gets the errors of %s as its only result', async (_what, query, operationName, code) => {
    const payload = { query, ...(operationName === undefined ? {} : { operationName }) };
    expect(await results(payload)).toMatchObject([{ errors: [{ extensions: { code } }] }]);
  });

  it('gets a variable of a wrong type as an error, and a result where all is well', async () => {
    const query = 'query ($first: Int) { groups(first: $first) { totalCount } }';
    expect(await results({ query, variables: { first: 'ten' } })).toMatchObject([
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(await results({ query, variables: { first: 1 } })).toMatchObject([
      { data: { groups: { totalCount: 0 } } },
    ]);
  });

  it('gets events', async () => {
    const variables = { after: await lastSequence(server.acme) };
    const query = 'subscription ($after: Int) { ledgerAppended(after: $after) { sequence } }';
    const client = createClient({ url: `${server.url}/graphql/stream`, headers: bearer(), retryAttempts: 0 });
    const events = client.iterate({ query, variables });
    await fleet.group(server.acme.client, 'iterated');
    const next: IteratorResult<unknown, unknown> = await events.next();
    const data = { ledgerAppended: { sequence: await lastSequence(server.acme) } };
    expect(next.value).toEqual({ data });
    client.dispose();
  });

  it('is refused with a status where the request itself is malformed', async () => {
    await expect(results({ query: '' })).rejects.toMatchObject({ response: { status: 400 } });
  });
});

describe('the single connection mode of graphql-sse', () => {
  const textOf = async (response: Response): Promise<string> => {
    const body = (await response.json()) as { errors: readonly { message: string }[] };
    return body.errors[0]?.message ?? '';
  };

  it.each(['/graphql', '/graphql/stream'])('is refused to its client at %s', async (path) => {
    const requests: [unknown, number, string][] = [];
    const client = createClient({
      url: `${server.url}${path}`,
      headers: bearer(),
      retryAttempts: 0,
      singleConnection: true,
      fetchFn: async (...request: Parameters<typeof fetch>) => {
        const response = await fetch(...request);
        requests.push([request[1]?.method, response.status, await textOf(response.clone())]);
        return response;
      },
    });
    await expect(client.iterate({ query: VIEWER }).next()).rejects.toMatchObject({
      response: { status: 405 },
    });
    expect(requests).toEqual([['PUT', 405, expect.stringContaining('distinct connections mode')]]);
    client.dispose();
  });

  it.each<[string, string, Record<string, string>]>([
    ['a header', '/graphql/stream', { 'x-graphql-event-stream-token': 'reserved' }],
    ['a header', '/graphql', { 'x-graphql-event-stream-token': 'reserved' }],
    ['the query', '/graphql/stream?token=reserved', {}],
  ])('is refused where %s of a request to %s has a reservation', async (_where, path, headers) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { ...bearer(), accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: VIEWER, extensions: { operationId: 'one' } }),
    });
    expect(response.status).toBe(400);
    expect(await textOf(response)).toMatch(/single connection mode .* distinct connections mode/);
  });
});
