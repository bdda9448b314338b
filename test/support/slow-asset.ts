import { once } from 'node:events';
import { connect } from 'node:net';

import type { TestServer } from './server.js';

/** A terminal that has asked for an asset, and reads nothing but the first bytes of the response. */
export async function openSlowly({ url }: Pick<TestServer, 'url'>, token: string, name: string) {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [`GET /terminal/v1/assets/${name} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
  socket.write([...head, 'Connection: close', '', ''].join('\r\n'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  let received = first.length;
  return {
    destroy: () => socket.resetAndDestroy(),
    /** Reads on; resolves to the number of bytes of the whole response when the connection has ended. */
    rest: async () => {
      socket.on('data', (bytes: Buffer) => (received += bytes.length));
      socket.resume();
      await closed;
      return received;
    },
  };
}
