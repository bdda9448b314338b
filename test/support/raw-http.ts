import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponses {
  readonly text: string;
  readonly statuses: readonly number[];
}

/** A connection to a server, from another address of this machine if one is given. Its errors are for the test to notice. */
export async function openConnection(url: string, localAddress?: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ...(localAddress && { localAddress }) });
  await once(socket, 'connect');
  return socket.on('error', () => undefined);
}

/** Sends bytes unchanged on one connection and collects all responses until the server closes it. */
export async function sendRaw(url: string, ...parts: readonly string[]): Promise<RawResponses> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part, 'latin1');
    });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      resolve({ text, statuses: statuses.filter((status) => status !== 100) });
    });
  });
}

/** Headers of one response, names in lower case, and its JSON body. */
export function parseResponse(text: string): { headers: Map<string, string>; body: unknown } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: JSON.parse(body) };
}
