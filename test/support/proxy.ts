/** A proxy in front of several servers. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

/** Gives each connection to the next node; to another one where that cannot be reached. */
export async function startProxy(urls: readonly string[]) {
  let next = 0;
  const server: Server = createServer((client) => {
    client.on('error', () => undefined);
    const attempt = (left: number): void => {
      const url = new URL(urls[next++ % urls.length] ?? '');
      const upstream = connect(Number(url.port), url.hostname);
      // The client may go before the node answers: the connection would keep the process alive.
      client.once('close', () => upstream.destroy());
      upstream.once('connect', () => {
        client.pipe(upstream);
        upstream.pipe(client);
        upstream.once('close', () => client.destroy());
      });
      upstream.on('error', () => {
        if (left === 0) client.destroy();
        else attempt(left - 1);
      });
    };
    attempt(urls.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
