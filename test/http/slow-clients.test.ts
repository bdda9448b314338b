import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';

import { parseResponse, sendRaw } from '../support/raw-http.js';
import { useServer } from '../support/server.js';

const server = useServer({}, { timeouts: { headersMs: 400, bodyMs: 400, requestMs: 5_000, checkMs: 50 } });

/** A connection that sends a first part and then single bytes. */
function drip(first: string): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname, () => socket.write(first));
  const timer = setInterval(() => socket.write('x'), 50);
  socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  return socket;
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('close', () => resolve()).resume();
  });

describe('CF-32 slow clients', () => {
  it.concurrent.each([
    ['headers', () => 'GET /v1/groups HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    [
      'bodies',
      () =>
        `POST /v1/groups?access_token=${server.acme.token} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{`,
    ],
  ])('200 with endless %s do not delay others, and are disconnected', async (_what, first) => {
    const sockets = Array.from({ length: 200 }, () => drip(first()));
    const all = Promise.all(sockets.map(closed));
    for (let n = 0; n < 20; n += 1) {
      expect((await server.acme.client.get('groups')).status).toBe(200);
    }
    await all;
  });

  it.concurrent('get 408 if their headers do not arrive', async () => {
    const { text, statuses } = await sendRaw(server.url, 'GET /v1/groups HTTP/1.1\r\nHost: a\r\n');
    expect(statuses).toEqual([408]);
    expect(parseResponse(text).body).toMatchObject({ code: 'too_slow' });
  });

  it.concurrent.each(['GET', 'DELETE', 'POST'])(
    'RI-27 get 408 if the body of a %s does not arrive, and are disconnected',
    async (method) => {
      const { text, statuses } = await sendRaw(
        server.url,
        `${method} /v1/parameters${method === 'DELETE' ? '/1' : ''}?access_token=${server.acme.token} HTTP/1.1\r\n`,
        'Host: a\r\nContent-Length: 20\r\n\r\n',
      );
      expect(statuses).toEqual([408]);
      const { headers, body } = parseResponse(text);
      expect([headers.get('connection'), body]).toMatchObject(['close', { code: 'too_slow' }]);
      expect(headers.get('x-rate-limit-limit')).toBeDefined();
    },
  );
});
