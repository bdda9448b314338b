import { beforeAll, describe, expect, it } from 'vitest';

import { operationHash } from '../../../src/platform/config/parsing.js';
import { ask, openKnown, type RawSocket } from '../../support/raw-socket.js';
import { ownServer, useServer } from '../../support/server.js';
import { overStream } from '../../support/transports.js';

const server = useServer();
let socket: RawSocket;
beforeAll(async () => {
  socket = await openKnown(server, server.acme.token);
});

describe('GQ-15 an operation over a socket', () => {
  it.each<[string, string, Record<string, unknown>?]>([
    ['a query', '{ viewer { role company { name } user { email } } }'],
    ['variables', 'query ($n: Int) { groups(first: $n) { totalCount nodes { name } } }', { n: 5 }],
    ['an id that is none', '{ group(id: "nonsense") { name } }'],
    ['a page that is too long', '{ groups(first: 101) { nodes { name } } }'],
    ['a variable of no meaning', 'query ($n: Int) { groups(first: $n) { totalCount } }', { n: 'x' }],
    [
      'a mutation with an error to mend',
      'mutation { groupCreate(input: { name: "" }) { group { id } userErrors { message path code } } }',
    ],
    ['one out of several', 'query A { viewer { role } } query B { groups { totalCount } }'],
  ])('gets the same response as over HTTP, the cost included: %s', async (_what, query, variables) => {
    const operationName = query.startsWith('query A') ? 'B' : undefined;
    const options = operationName === undefined ? {} : { operationName };
    const http = await server.acme.graphql(query, variables, options);
    const { payload } = await ask(socket, query, variables, options);
    expect(payload).toEqual(http.body);
  });

  it('changes records for callers with the scope, once per key', async () => {
    const create =
      'mutation ($n: String!) { groupCreate(input: { name: $n }) { group { name } userErrors { code } } }';
    const made = { groupCreate: { group: { name: 'by an admin' }, userErrors: [] } };
    const viewer = await openKnown(server, (await server.member('acme', 'viewer')).token);
    const refused = await ask(viewer, create, { n: 'by a viewer' });
    expect(refused.payload.errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' }, path: ['groupCreate'] },
    ]);
    const extensions = { idempotencyKey: 'one' };
    const first = await ask(socket, create, { n: 'by an admin' }, { extensions });
    expect(first.payload).toEqual({
      data: made,
      extensions: { cost: { requested: 1, actual: 1 } },
    });
    const again = await ask(socket, create, { n: 'by an admin' }, { extensions });
    expect(again.payload).toMatchObject({ data: made, extensions: { idempotentReplayed: true } });
    const without = await ask(socket, create, { n: 'by an admin' });
    expect(without.payload.data).toMatchObject({ groupCreate: { userErrors: [{ code: 'TAKEN' }] } });
    const spaced = { extensions: { idempotencyKey: 'no spaces, please' } };
    const broken = await ask(socket, create, { n: 'x' }, spaced);
    expect(broken.payload.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
    expect((await server.acme.graphql('{ group(name: "by a viewer") { id } }')).body.data).toEqual({
      group: null,
    });
  });

  it('GQ-11 that fails shows the request id of the log, and not the reason', async () => {
    await server.place.sql('alter table groups rename to gone');
    const { payload } = await ask(socket, '{ group(databaseId: 1) { name } }');
    await server.place.sql('alter table gone rename to groups');
    const { requestId, code } = payload.errors?.[0]?.extensions as { requestId: string; code: string };
    expect(code).toBe('INTERNAL_SERVER_ERROR');
    expect(JSON.stringify(payload)).not.toMatch(/no such table|groups|select/i);
    const lines = server.logs
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line) as object);
    // The plan fails, and so do the resolvers that stand in for it.
    expect(lines).toMatchObject([
      { level: 'error', msg: 'unexpected error' },
      { level: 'error', msg: 'unexpected error' },
      { msg: 'operation', transport: 'websocket', operation: 'query', path: '/graphql', ip: '127.0.0.1' },
    ]);
  });
});

describe('GQ-15 in a server with an allow list', () => {
  const known = '{ viewer { role } }';
  const followed = 'subscription { ledgerAppended(after: 0) { sequence } }';

  it('runs no other operations over a socket or a stream', async () => {
    const list = new Map([known, followed].map((text) => [operationHash(text), text]));
    const closed = await ownServer({ graphqlAllowList: list });
    const raw = await openKnown(closed, closed.acme.token);
    expect((await ask(raw, known)).payload.data).toEqual({ viewer: { role: 'ADMIN' } });
    expect((await ask(raw, followed)).payload.data).toMatchObject({ ledgerAppended: {} });
    const others = [`${known} `, followed.replace('sequence', 'action'), '{'];
    for (const other of others) {
      const { payload } = await ask(raw, other);
      expect(payload.errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_IN_LIST' } }]);
      expect(await overStream(closed, closed.acme, other)).toContain('NOT_IN_LIST');
    }
  });
});
