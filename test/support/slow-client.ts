import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends what it is told, byte for byte, and takes no notice of the answer. */
export interface SlowClient {
  readonly socket: Socket;
  /** Resolves when the bytes are on their way; after the connection is gone it does nothing. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** The whole of the first answer; rejects where the connection ends before. */
  answer(): Promise<{ readonly status: number; readonly head: string; readonly body: string }>;
  closed(): Promise<void>;
}

export async function openSlowClient(url: string): Promise<SlowClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
  });
  // A connection that the server resets is one of the things to be seen.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  return {
    socket,
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(bytes, () => resolve());
      }),
    answer: async () => {
      for (;;) {
        const whole = parse(received.toString('latin1'));
        if (whole !== undefined) return whole;
        if (socket.destroyed) throw new Error(`the connection ended after ${received.length} bytes`);
        await Promise.race([once(socket, 'data'), closed]);
      }
    },
    closed: async () => {
      await closed;
    },
  };
}

function parse(text: string): { status: number; head: string; body: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  if (/^HTTP\/1[.]1 100 /.test(head)) return parse(text.slice(end + 4));
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const body = text.slice(end + 4, end + 4 + length);
  return body.length < length ? undefined : { status: Number(text.slice(9, 12)), head, body };
}
