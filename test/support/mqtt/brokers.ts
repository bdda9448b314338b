import { Aedes, type AedesOptions } from 'aedes';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

import type { MqttSettings } from '../../../src/platform/config/mqtt.js';

/** Where a broker of a test is. */
type TestBroker = Awaited<ReturnType<typeof listenOn>>;
export type AedesBroker = Awaited<ReturnType<typeof startAedes>>;

export const brokerAt = (port: number, others: Partial<MqttSettings> = {}): MqttSettings => ({
  host: '127.0.0.1',
  port,
  tls: null,
  username: null,
  password: null,
  ...others,
});

interface AedesStart extends AedesOptions {
  readonly port?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A broker in this process; everybody may do everything unless the options say otherwise. */
export async function startAedes({ port = 0, tls, ...options }: AedesStart = {}) {
  const aedes = await Aedes.createBroker(options);
  const handle = (socket: Socket): void => void aedes.handle(socket);
  const broker = await listenOn(
    tls === undefined ? createServer(handle) : createTlsServer(tls, handle),
    port,
  );
  return {
    ...broker,
    aedes,
    stop: async () => {
      await new Promise<void>((resolve) => aedes.close(resolve));
      await broker.stop();
    },
  };
}

/** A program that listens where a broker should, and does with each connection what `use` does. */
export async function startFakeBroker(use: (socket: Socket) => void): Promise<TestBroker> {
  return await listenOn(createServer(use), 0);
}

async function listenOn(server: Server, port: number) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: used } = server.address() as AddressInfo;
  /** Ends all connections, and goes on listening. */
  const cutConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  /** Ends all connections and stops listening. */
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    cutConnections();
    await closed;
  };
  return { settings: brokerAt(used), port: used, cutConnections, stop };
}

/** A path to a broker that can stall, like a network between two machines. */
export async function startPathTo(brokerPort: number) {
  const pairs = new Set<readonly Socket[]>();
  let isStalled = false;
  const broker = await startFakeBroker((socket) => {
    const upstream = connect(brokerPort, '127.0.0.1');
    const pair = [socket, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, socket] as const]) {
      from.on('data', (bytes: Buffer) => to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      if (isStalled) from.pause();
    }
    socket.on('close', () => pairs.delete(pair));
  });
  const all = (use: (socket: Socket) => void): void => [...pairs].flat().forEach(use);
  return {
    ...broker,
    /** Lets nothing pass from now on; connections stay open. */
    stall: () => {
      isStalled = true;
      all((socket) => socket.pause());
    },
    resume: () => {
      isStalled = false;
      all((socket) => socket.resume());
    },
  };
}
