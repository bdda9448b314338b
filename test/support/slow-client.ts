import { openConnection } from './raw-http.js';

export type SlowClient = Awaited<ReturnType<typeof openSlowClient>>;

/** Headers of a body whose parts are divided by `--X`. */
export const MULTIPART = ['Apollo-Require-Preflight: 1', 'Content-Type: multipart/form-data; boundary=X'];

/** A POST to /graphql as bytes, without the last `missing` bytes of its body. */
export function graphqlPost(
  token: string,
  body: string,
  { headers = ['Content-Type: application/json'], missing = 0 } = {},
): string {
  const head = ['POST /graphql HTTP/1.1', 'Host: gateway', `Authorization: Bearer ${token}`, ...headers];
  return [...head, `Content-Length: ${Buffer.byteLength(body) + missing}`, '', body].join('\r\n');
}

/**
 * A client that sends given bytes, whatever the server responds.
 * @param localAddress another address of this machine to come from.
 */
export async function openSlowClient(url: string, localAddress?: string) {
  const socket = await openConnection(url, localAddress);
  const pieces: Buffer[] = [];
  socket.on('data', (bytes: Buffer) => void pieces.push(bytes));
  // `once` would reject after an error.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const heard = (): Promise<void> => new Promise((resolve) => socket.once('data', () => resolve()));
  return {
    socket,
    /** Resolves when the bytes are written; does nothing once the connection is closed. */
    send: (bytes: string | Uint8Array) =>
      new Promise<void>((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(bytes, () => resolve());
      }),
    /** The first response, complete; rejects if the connection is closed before. */
    answer: async () => {
      for (;;) {
        const received = Buffer.concat(pieces);
        const whole = parse(received.toString('latin1'));
        if (whole !== undefined) return whole;
        if (socket.destroyed) throw new Error(`the connection was closed after ${received.length} bytes`);
        await Promise.race([heard(), closed]);
      }
    },
    closed: () => closed,
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
