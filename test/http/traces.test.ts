import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, describe } from 'vitest';

import type { Config } from '../../src/platform/config/config.js';
import { startCollector, type Collector, type ReceivedSpan } from '../support/collector.js';
import { addPerson, signIn } from '../support/people.js';
import { ownServer, type TestServer } from '../support/server.js';
import { subscribe } from '../support/subscribe.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const WATCH = 'subscription Watch { ledgerAppended { sequence } }';
const SERVER = 2;
const CLIENT = 3;

interface Traced {
  readonly server: TestServer;
  readonly collector: Collector;
}

async function traced(config: Partial<Config> = {}): Promise<Traced> {
  const collector = await startCollector();
  const server = await ownServer({ tracesUrl: collector.url, ...config });
  return { server, collector };
}

/** Waits for the span of the request with this id; resolves to all spans of its trace. */
async function traceOf({ collector }: Traced, requestId: string): Promise<ReceivedSpan[]> {
  const find = () =>
    collector.spans().find(({ attributes }) => attributes['terminal_gateway.request.id'] === requestId);
  await expect.poll(find).toBeDefined();
  return collector.spans().filter(({ traceId }) => traceId === find()?.traceId);
}

const named = (id: string, more: Record<string, string> = {}) => ({
  headers: { 'x-request-id': id, ...more },
});
const kindOf = (spans: readonly ReceivedSpan[], kind: string): ReceivedSpan[] =>
  spans.filter(({ attributes }) => kind in attributes);

describe('traces', () => {
  it('have a span for a request, with its statements, and continue the trace of the client', async () => {
    const all = await traced();
    const { client } = all.server.acme;
    await client.post('groups', { name: 'g' }, named('r-1', { traceparent: `00-${TRACE}-${PARENT}-01` }));
    const spans = await traceOf(all, 'r-1');
    const [request] = kindOf(spans, 'http.route');
    expect(request).toMatchObject({
      name: 'POST /v1/groups',
      traceId: TRACE,
      parentSpanId: PARENT,
      kind: SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/groups',
        'http.response.status_code': 201,
        'terminal_gateway.request.id': 'r-1',
      },
    });
    const statements = kindOf(spans, 'db.query.text');
    const insert = statements.find(({ name }) => name === 'INSERT groups');
    expect(insert).toMatchObject({
      kind: CLIENT,
      parentSpanId: request?.spanId,
      attributes: {
        'db.system.name': expect.stringMatching(/^(sqlite|postgresql)$/) as string,
        'db.operation.name': 'INSERT',
        'db.query.summary': 'INSERT groups',
      },
    });
    expect(String(insert?.attributes['db.query.text'])).toMatch(/insert into "groups"[^]*(?:\?|\$\d)/);
    const log = all.server.logs.find((line) => line.includes('r-1')) ?? '{}';
    expect(JSON.parse(log)).toMatchObject({ trace_id: TRACE, request_id: 'r-1' });
  });

  it('have a span for what a change has waited for, if that took long', async () => {
    const all = await traced();
    const { app, acme } = all.server;
    const held = Promise.withResolvers<undefined>();
    const holding = Promise.withResolvers<undefined>();
    const holder = app.units.write(acme.caller, async () => {
      holding.resolve(undefined);
      await held.promise;
    });
    await holding.promise;
    const isQueued = Promise.withResolvers<undefined>();
    app.database.watchWaits(() => isQueued.resolve(undefined));
    const waiting = acme.client.post('groups', { name: 'waits' }, named('r-waits'));
    await isQueued.promise;
    // Longer than the shortest wait that has a span.
    await sleep(10);
    held.resolve(undefined);
    await Promise.all([holder, waiting]);
    const spans = await traceOf(all, 'r-waits');
    // Other units of the request may have waited for long, too.
    expect(spans.map(({ name }) => name)).toContain('wait for queue');
  });

  it('have the id of the process, so that those of several nodes can be told apart', async () => {
    const [one, other] = [await traced(), await traced()];
    const idOf = async ({ server, collector }: Traced): Promise<string> => {
      await server.acme.client.get('groups');
      await expect.poll(() => collector.bodies.length).toBeGreaterThan(0);
      return (
        /"service.instance.id","value":\{"stringValue":"([^"]+)"/.exec(collector.bodies[0] ?? '')?.[1] ?? ''
      );
    };
    const ids = [await idOf(one), await idOf(other)];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('begin with the request where the client sends no trace, or none that is well-formed', async () => {
    const all = await traced();
    const { client } = all.server.acme;
    await client.get('groups', undefined, named('r-none'));
    await client.get('groups', undefined, named('r-bad', { traceparent: `00-${TRACE}-${PARENT}` }));
    for (const id of ['r-none', 'r-bad']) {
      const [request] = kindOf(await traceOf(all, id), 'http.route');
      expect([request?.parentSpanId, request?.traceId === TRACE]).toEqual([undefined, false]);
    }
  });

  it('show faults of the server as errors, not mistakes of clients', async () => {
    const all = await traced();
    await all.server.acme.client.get('groups/nobody', undefined, named('r-404'));
    await all.server.anonymous.get('/none/of/these', undefined, named('r-unknown'));
    // The number stays, whatever the server writes meanwhile, for example that the token was used.
    all.server.app.database.health.report('db_corrupt');
    await all.server.anonymous.get('/readyz', undefined, named('r-503'));
    const statusOf = async (id: string) =>
      (await traceOf(all, id)).map(({ name, status }) => [name, status.code]);
    expect(await statusOf('r-404')).toContainEqual(['GET /v1/groups/{group_name}', 0]);
    expect(await statusOf('r-unknown')).toEqual([['GET', 0]]);
    expect(await statusOf('r-503')).toContainEqual(['GET /readyz', 2]);
  });

  it('have a span for a GraphQL operation between the request and its statements', async () => {
    const all = await traced();
    const { graphql } = all.server.acme;
    await graphql('query Fleet { groups(first: 5) { nodes { name } } }', {}, named('q-1'));
    const spans = await traceOf(all, 'q-1');
    const [request] = kindOf(spans, 'http.route');
    const [operation] = kindOf(spans, 'graphql.operation.type');
    expect(operation).toMatchObject({
      name: 'query',
      parentSpanId: request?.spanId,
      attributes: { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Fleet' },
    });
    const list = kindOf(spans, 'db.query.text').find(({ name }) => name === 'SELECT groups');
    expect(list?.parentSpanId).toBe(operation?.spanId);
  });

  it('have the code of a failed operation', async () => {
    const all = await traced();
    const { graphql } = await all.server.member('acme', 'viewer');
    await graphql('mutation { groupCreate(input: { name: "g" }) { group { name } } }', {}, named('q-2'));
    await graphql('{ unknown }', {}, named('q-3'));
    const operationOf = async (id: string) =>
      (await traceOf(all, id)).find(({ attributes }) => 'error.type' in attributes);
    expect(await operationOf('q-2')).toMatchObject({
      name: 'mutation',
      status: { code: 2 },
      attributes: { 'error.type': 'FORBIDDEN' },
    });
    expect(await operationOf('q-3')).toMatchObject({ name: 'GraphQL Operation', status: { code: 2 } });
  });

  it('are their own for an operation over a socket and for each event of a subscription', async () => {
    const all = await traced();
    const { server, collector } = all;
    const { until, stop } = subscribe(server, server.acme, WATCH);
    await expect.poll(() => server.metric('graphql_streams_open{transport="websocket"}')).toBe(1);
    await server.acme.client.post('groups', { name: 'g' });
    await until(1);
    stop();
    const events = () =>
      collector.spans().filter(({ attributes }) => attributes['graphql.operation.name'] === 'Watch');
    // A span for the beginning of the subscription, and one for its event.
    await expect.poll(() => events().length).toBe(2);
    const [begun, event] = events();
    expect([begun?.name, begun?.parentSpanId]).toEqual(['subscription', undefined]);
    expect(event?.parentSpanId).toBeUndefined();
    expect(begun?.traceId).not.toBe(event?.traceId);
    expect(collector.spans().some(({ parentSpanId }) => parentSpanId === begun?.spanId)).toBe(true);
  });

  it('have no secret, whatever clients send', async () => {
    const all = await traced();
    const { server, collector } = all;
    const card = '4111111111111111';
    const password = 'Zx7#unrepeatable-pass-phrase';
    const { email } = await addPerson(server, { acme: 'admin' }, { password });
    await signIn(server, { email, password });
    const { client, graphql, token } = server.acme;
    const header = { headers: { cookie: 'c00kie', tracestate: 'v=st4te', 'user-agent': 'ag3nt' } };
    await server.anonymous.get(`groups?access_token=${token}`);
    await server.anonymous.get(`/${token}?x=${card}`);
    await client.get(`groups/${card}`, undefined, header);
    await client.post('groups', { name: `of ${card}` });
    await client.post('groups', { name: `of ${card}` });
    await graphql('query ($name: String!) { group(name: $name) { name } }', { name: card });
    await graphql(`query _${card} { group(name: "${card}") { name } }`);
    await graphql(`query t${token} { viewer { role } }`);
    await graphql(`{ unknown(token: "${token}") }`);
    await server.stop();
    const sent = collector.bodies.join('\n');
    expect(collector.spans().length).toBeGreaterThan(30);
    for (const secret of [token, card, password, email, 'c00kie', 'st4te', 'ag3nt']) {
      expect(sent).not.toContain(secret);
    }
    expect(sent).not.toMatch(/\b[0-9a-f]{40}\b|access_token=|unrepeatable/);
  });

  it('are as many as the share says, and none of those that the client does not record', async () => {
    const all = await traced({ tracesShare: 0 });
    const parent = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` });
    await all.server.acme.client.get('groups', undefined, named('s-0', parent('01')));
    const some = await traced({ tracesShare: 1 });
    await some.server.acme.client.get('groups', undefined, named('s-1', parent('00')));
    for (const { server } of [all, some]) await server.stop();
    expect([all.collector.bodies, some.collector.bodies]).toEqual([[], []]);
    // The log has the id of the trace nevertheless.
    expect(some.server.logs.find((line) => line.includes('s-1'))).toContain(`"trace_id":"${TRACE}"`);
  });
});

describe('without a collector', () => {
  it('requests are served, and spans are dropped and counted', async () => {
    const server = await ownServer({ tracesUrl: 'http://127.0.0.1:9/v1/traces' });
    const dropped = () => server.metric('traces_dropped_total');
    expect(await dropped()).toBe(0);
    for (let n = 0; n < 20; n += 1) expect((await server.acme.client.get('groups')).status).toBe(200);
    await expect.poll(dropped).toBeGreaterThan(40);
    const [line = ''] = server.logs.filter((each) => each.includes('traces were dropped'));
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', dropped: expect.any(Number) as number });
  });
});
