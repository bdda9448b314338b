import { createClient, type ClientOptions, type RequestParams } from 'graphql-sse';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';

import { fleet } from '../../support/fleet.js';
import { ownServer, useServer, type Fields } from '../../support/server.js';
import { lastSequence, openStreams } from '../../support/subscribe.js';

const server = useServer({}, { live: { heartbeatMs: 100 } });

const FOLLOW = 'subscription ($after: Int) { ledgerAppended(after: $after) { sequence } }';
const VIEWER = '{ viewer { role } }';
const CREATE = 'mutation { groupCreate(input: { name: "streamed" }) { group { name } userErrors { code } } }';
const STREAM = { accept: 'text/event-stream' };
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.acme.token}` });

interface Event {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
}

/** The events in the text of a stream. */
function eventsIn(text: string): Event[] {
  const field = (block: string, name: string): string | undefined =>
    new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
  return text
    .split('\n\n')
    .filter((block) => /^(id|event|data)/m.test(block))
    .map((block) => ({ id: field(block, 'id'), event: field(block, 'event'), data: field(block, 'data') }));
}

const numbersIn = (text: string): number[] =>
  Array.from(text.matchAll(/"sequence":(\d+)/g), ([, sequence]) => Number(sequence));

/** The response to a GET request, read as far as needed. */
async function open(query: Fields, headers: Record<string, string> = {}) {
  const url = new URL('/graphql/stream', server.url);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const stop = new AbortController();
  const response = await fetch(url, { headers: { ...STREAM, ...headers }, signal: stop.signal });
  let text = '';
  const ended = (async () => {
    for await (const part of response.body ?? []) text += Buffer.from(part as Uint8Array).toString();
  })().catch(() => undefined);
  return {
    status: response.status,
    headers: response.headers,
    ended,
    text: () => text,
    until: async (count: number) => {
      await expect.poll(() => numbersIn(text).length).toBeGreaterThanOrEqual(count);
      return numbersIn(text);
    },
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

describe('a stream of server-sent events', () => {
  it('sends each event with its id, and heartbeats', async () => {
    const after = await lastSequence(server.acme);
    const variables = JSON.stringify({ after });
    const stream = await open({ query: FOLLOW, variables, access_token: server.acme.token });
    expect(stream.status).toBe(200);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-rate-limit-limit': '1000000',
      'x-request-id': expect.any(String) as string,
    });
    for (let n = 0; n < 3; n += 1) await fleet.group(server.acme.client, `group-${n}`);
    const numbers = await stream.until(3);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(eventsIn(stream.text()).map(({ id }) => id)).toEqual(numbers.map(String));
    await expect.poll(() => stream.text().match(/^:$/gm)?.length).toBeGreaterThan(3);
    await stream.stop();
    await expect.poll(() => openStreams(server)).toBe(0);
  });

  it('resumes after the Last-Event-ID of an EventSource', async () => {
    const after = await lastSequence(server.acme);
    const query = { query: FOLLOW, variables: JSON.stringify({ after }), access_token: server.acme.token };
    const first = await open(query);
    for (let n = 0; n < 4; n += 1) await fleet.group(server.acme.client, `back-${n}`);
    const [one = 0, two = 0, ...others] = await first.until(4);
    await first.stop();
    const second = await open(query, { 'last-event-id': String(two) });
    expect(await second.until(2)).toEqual(others);
    const third = await open(query, { 'last-event-id': '' });
    expect(await third.until(4)).toEqual([one, two, ...others]);
    await second.stop();
    await third.stop();
    const headers = { 'last-event-id': 'nonsense' };
    const refused = await server.acme.client.get('/graphql/stream', undefined, { query, headers });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('must be the id of an event'),
    ]);
  });

  it('responds to a query or mutation with one event and complete', async () => {
    for (const [query, data] of [
      [VIEWER, { viewer: { role: 'ADMIN' } }],
      [CREATE, { groupCreate: { group: { name: 'streamed' }, userErrors: [] } }],
    ] as const) {
      const options = { headers: { ...bearer(), ...STREAM } };
      const reply = await server.anonymous.post('/graphql/stream', { query }, options);
      expect(reply.status).toBe(200);
      const [event, end, ...more] = eventsIn(reply.text);
      expect(JSON.parse(event?.data ?? '')).toMatchObject({ data, extensions: { cost: {} } });
      expect([event?.event, end, more]).toEqual(['next', { id: undefined, event: 'complete', data: '' }, []]);
    }
  });

  it('ends with the errors of an operation that is not allowed or cannot start', async () => {
    const reporter = await server.member('acme', 'operator', ['ingest']);
    const cases: readonly [string, object, string][] = [
      [reporter.token, {}, 'FORBIDDEN'],
      [server.acme.token, { after: 2_000_000_000 }, 'EVENTS_AHEAD'],
    ];
    for (const [token, variables, code] of cases) {
      const stream = await open({ query: FOLLOW, variables: JSON.stringify(variables), access_token: token });
      await stream.ended;
      const [event, end] = eventsIn(stream.text());
      expect(JSON.parse(event?.data ?? '')).toMatchObject({ errors: [{ extensions: { code } }] });
      expect(end?.event).toBe('complete');
    }
  });
});

describe('GQ-09 a request for a stream', () => {
  const errorOf = (text: string): unknown =>
    (JSON.parse(text) as { errors: readonly { extensions: { code: unknown } }[] }).errors[0]?.extensions.code;

  it.each<[string, string, Fields | undefined, Record<string, string>, number, string]>([
    ['without a token', 'GET', undefined, {}, 401, 'UNAUTHENTICATED'],
    ['with a bad token', 'GET', undefined, { authorization: 'Bearer 0123' }, 401, 'UNAUTHENTICATED'],
    ['by PUT', 'PUT', undefined, {}, 405, 'METHOD_NOT_ALLOWED'],
    ['by HEAD', 'HEAD', undefined, {}, 405, ''],
    ['that takes JSON only', 'GET', undefined, { accept: 'application/json' }, 400, 'BAD_REQUEST'],
    ['without an operation', 'POST', {}, {}, 400, 'BAD_REQUEST'],
    [
      'that a form could make',
      'POST',
      { query: VIEWER },
      { 'content-type': 'text/plain', authorization: '' },
      400,
      'CSRF_PREVENTED',
    ],
  ])('is refused %s', async (_what, method, body, headers, status, code) => {
    const options = { headers: { ...STREAM, ...(status === 401 ? {} : bearer()), ...headers } };
    const path = `/graphql/stream?query=${encodeURIComponent(VIEWER)}`;
    const reply = await server.anonymous.request(method, path, body, options);
    expect(reply.status).toBe(status);
    if (method !== 'HEAD') expect(errorOf(reply.text)).toBe(code);
  });

  it('by GET is a well-formed query or subscription', async () => {
    const ask = (query: Record<string, string>) =>
      server.anonymous.get('/graphql/stream', undefined, { query, headers: { ...bearer(), ...STREAM } });
    const mutation = await ask({ query: CREATE.replace('streamed', 'by get') });
    expect([mutation.status, mutation.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await server.acme.graphql('{ group(name: "by get") { id } }')).body.data).toEqual({
      group: null,
    });
    for (const query of [{ query: VIEWER, variables: '{' }, { query: VIEWER, variables: '[1]' }, {}]) {
      expect((await ask(query as Record<string, string>)).status).toBe(400);
    }
    const named =
      'query A($a: Boolean!) { viewer { role @include(if: $a) } } query B { groups { totalCount } }';
    const { text } = await ask({ query: named, operationName: 'A', variables: '{"a":true}' });
    expect(text).toContain('"role":"ADMIN"');
    const twice = await server.anonymous.get(`/graphql/stream?access_token=${server.acme.token}`, undefined, {
      headers: bearer(),
    });
    expect(twice.status).toBe(400);
  });

  it('is named in the refusal of a subscription over HTTP', async () => {
    const { status, body } = await server.acme.graphql(FOLLOW);
    expect(status).toBe(400);
    expect(body.errors?.[0]?.message).toMatch(/WebSocket at \/graphql .*\/graphql\/stream/);
  });
});

describe('a long stream', () => {
  it('is not ended by request timeouts', async () => {
    const timeouts = { headersMs: 100, requestMs: 100, bodyMs: 100, checkMs: 20 };
    const hasty = await ownServer({}, { timeouts });
    const after = await lastSequence(hasty.acme);
    const variables = encodeURIComponent(JSON.stringify({ after }));
    const path = `/graphql/stream?query=${encodeURIComponent(FOLLOW)}&variables=${variables}&access_token=${hasty.acme.token}`;
    let text = '';
    const request = get(`${hasty.url}${path}`, { headers: STREAM }, (response) => {
      response.on('data', (part: Buffer) => (text += part.toString()));
    });
    request.on('error', () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await fleet.group(hasty.acme.client, 'late');
    await expect.poll(() => numbersIn(text).length).toBe(1);
    request.destroy();
  });
});

describe('the client of graphql-sse', () => {
  const clientOf = (path: string, options: Partial<ClientOptions<boolean>> = {}) =>
    createClient({ url: `${server.url}${path}`, headers: bearer(), retryAttempts: 0, ...options });
  const first = async (payload: RequestParams): Promise<unknown> => {
    const client = clientOf('/graphql/stream');
    const { value } = (await client.iterate(payload).next()) as { value: unknown };
    client.dispose();
    return value;
  };

  it('gets results and events, and a status where the request itself is malformed', async () => {
    expect(await first({ query: VIEWER })).toMatchObject({ data: { viewer: { role: 'ADMIN' } } });
    const after = await lastSequence(server.acme);
    await fleet.group(server.acme.client, 'iterated');
    const event = { data: { ledgerAppended: { sequence: await lastSequence(server.acme) } } };
    expect(await first({ query: FOLLOW, variables: { after } })).toEqual(event);
    await expect(first({ query: '' })).rejects.toMatchObject({ response: { status: 400 } });
  });

  it.each(['/graphql', '/graphql/stream'])('is refused in single connection mode at %s', async (path) => {
    const client = clientOf(path, { singleConnection: true });
    await expect(client.iterate({ query: VIEWER }).next()).rejects.toMatchObject({
      response: { status: 405 },
    });
    client.dispose();
    const put = await server.anonymous.request('PUT', path, undefined, { headers: bearer() });
    expect([put.status, put.text]).toEqual([405, expect.stringContaining('distinct connections mode')]);
  });
});
