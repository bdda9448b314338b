import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, it } from 'vitest';

import { HOUR } from '../../../src/platform/clock.js';
import { closeIdleConnections } from '../../support/client.js';
import { openConnection } from '../../support/raw-http.js';
import { openKnown, openRaw } from '../../support/raw-socket.js';
import { useServerPerTest } from '../../support/server.js';
import { openStreams } from '../../support/subscribe.js';
import { overStream } from '../../support/transports.js';

const server = useServerPerTest();

const FOLLOW = 'subscription { ledgerAppended(after: 0) { sequence } }';

/** With an hour for what is in flight: a test in which the server waited for its clients would not end. */
const stop = (): Promise<void> => {
  closeIdleConnections();
  return server.app.stop(HOUR);
};

describe('a server that stops', () => {
  it('closes sockets with 1001, cuts streams without complete, and waits for neither', async () => {
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
    const raw = await openKnown(server, server.acme.token);
    raw.socket.pause();
    await stop();
    raw.socket.resume();
    await raw.ended;
  });

  it('accepts no more sockets, also on existing connections', async () => {
    const connection = await openConnection(server.url);
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
