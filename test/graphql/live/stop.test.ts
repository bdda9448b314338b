import { createClient } from 'graphql-ws';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { createServer } from '../../../src/app/server.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { HOUR } from '../../../src/platform/clock.js';
import { createLogger } from '../../../src/platform/logger.js';
import { testConfig } from '../../support/config.js';
import { fleet } from '../../support/fleet.js';
import { openKnown, openRaw } from '../../support/raw-socket.js';
import { startServer, type TestServer } from '../../support/server.js';
import { lastSequence, openStreams } from '../../support/subscribe.js';
import { overStream } from '../../support/transports.js';

let server: TestServer;
let stopped = false;
afterEach(async () => {
  if (!stopped) await server.stop();
  stopped = false;
});

const FOLLOW = 'subscription { ledgerAppended(after: 0) { sequence } }';

/** With an hour for what is in flight: a test in which the server waited for its clients would not end. */
const stop = async (): Promise<void> => {
  await server.app.stop(HOUR);
  await server.place.remove();
  stopped = true;
};

describe('a server that stops', () => {
  it('closes sockets with 1001, cuts streams without complete, and waits for neither', async () => {
    server = await startServer();
    const raw = await openKnown(server, server.acme.token);
    raw.say({ type: 'subscribe', id: '1', payload: { query: FOLLOW } });
    const unknown = await openRaw(server);
    const path = `/graphql/stream?query=${encodeURIComponent(FOLLOW)}&access_token=${server.acme.token}`;
    let text = '';
    const ended = new Promise<boolean>((resolve) => {
      get(`${server.url}${path}`, { headers: { accept: 'text/event-stream' } }, (response) => {
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.once('close', () => resolve(response.complete));
      });
    });
    await expect.poll(() => openStreams(server)).toBe(2);
    await expect.poll(() => text).toContain('event: next');
    await stop();
    expect(await raw.ended).toEqual({ code: 1001, reason: 'The server is stopping' });
    expect(await unknown.ended).toMatchObject({ code: 1001 });
    expect(await ended).toBe(true);
    // A client does not reconnect after complete.
    expect(text).not.toContain('event: complete');
    expect(raw.heard.map(({ type }) => type)).not.toContain('complete');
  });

  it('finishes a mutation over a socket and responds', async () => {
    server = await startServer();
    const raw = await openKnown(server, server.acme.token);
    const serials = Array.from({ length: 1_000 }, (_, n) => `LAST-${n}`);
    const query = 'mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count } }';
    raw.say({ type: 'subscribe', id: 'm', payload: { query, variables: { s: serials } } });
    // The server has read the message by now, and is busy with the mutation.
    await server.acme.graphql('{ viewer { role } }');
    await stop();
    expect(await raw.ended).toMatchObject({ code: 1001 });
    expect(raw.heard).toContainEqual(
      expect.objectContaining({
        id: 'm',
        type: 'next',
        payload: expect.objectContaining({ data: { deviceBulkCreate: { count: 1_000 } } }) as object,
      }),
    );
  });

  it('finishes a mutation over a stream with complete, so that its client does not repeat it', async () => {
    server = await startServer();
    const stopping = new Promise<void>((resolve) => {
      const unwatch = server.app.database.watchStatements((text) => {
        if (!text.includes('insert into "groups"')) return;
        unwatch();
        resolve(stop());
      });
    });
    const query = 'mutation { groupCreate(input: { name: "last" }) { group { name } } }';
    const text = await overStream(server, server.acme, query);
    expect(text).toContain('{"groupCreate":{"group":{"name":"last"}}}');
    expect(text).toContain('event: complete');
    await stopping;
  });

  it('does not wait for a client that does not answer the close frame', async () => {
    server = await startServer();
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    await stop();
    raw.socket.resume();
    await raw.ended;
  });

  it('accepts no more sockets, also on existing connections', async () => {
    server = await startServer();
    const { hostname, port } = new URL(server.url);
    const connection = connect(Number(port), hostname);
    let text = '';
    connection.on('data', (part: Buffer) => (text += part.toString()));
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    connection.write(`GET /graphql HTTP/1.1\r\nHost: a\r\n${upgrade}`);
    await server.acme.graphql('{ viewer { role } }');
    const stopping = stop();
    connection.write(`Sec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`);
    await once(connection, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 503 /);
    await stopping;
  });
});

describe('a client of a restarted server', () => {
  it('reconnects by itself and misses nothing, if it sends its last sequence', async () => {
    server = await startServer();
    const port = Number(new URL(server.url).port);
    const variables = { after: await lastSequence(server.acme) };
    const seen: number[] = [];
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { accessToken: server.acme.token },
      retryAttempts: 20,
      // A connection that is refused meanwhile is no reason to give up.
      shouldRetry: () => true,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
    });
    const query = 'subscription ($after: Int) { ledgerAppended(after: $after) { sequence } }';
    const follow = client.subscribe<{ ledgerAppended: { sequence: number } }>(
      { query, variables },
      {
        next: ({ data }) => {
          variables.after = data?.ledgerAppended.sequence ?? 0;
          seen.push(variables.after);
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
    await fleet.group(server.acme.client, 'before');
    await expect.poll(() => seen.length).toBe(1);
    await server.app.stop(1_000);
    stopped = true;
    const again = await createServer(
      testConfig(server.place.url, { port }),
      createLogger('info', { write: () => undefined }),
    );
    await again.units.write(server.acme.caller, (work) => createGroup(work, { name: 'meanwhile' }));
    await again.start();
    await fleet.group(server.acme.client, 'after');
    await expect.poll(() => seen.length).toBe(3);
    const rows = await again.database.reads
      .selectFrom('ledger')
      .select('sequence')
      .where('company_id', '=', server.acme.caller.companyId)
      .orderBy('sequence')
      .execute();
    expect(seen).toEqual(rows.map(({ sequence }) => sequence).slice(-3));
    follow();
    await client.dispose();
    await again.stop(1_000);
    await server.place.remove();
  });
});
