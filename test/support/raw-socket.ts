import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';

import type { Fields, TestServer } from './server.js';

type At = Pick<TestServer, 'url'>;

export interface Ended {
  readonly code: number;
  readonly reason: string;
}

export interface RawOptions extends Omit<ClientOptions, 'protocol'> {
  readonly path?: string;
  readonly protocol?: string | string[];
}

export type RawSocket = Awaited<ReturnType<typeof openRaw>>;

/**
 * Opens a WebSocket without a GraphQL client, which sends given messages and keeps all received ones. Rejects if the server
 * refuses it.
 */
export async function openRaw(
  server: At,
  { path = '/graphql', protocol = 'graphql-transport-ws', ...options }: RawOptions = {},
) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocol, options);
  const heard: Fields[] = [];
  const ended = new Promise<Ended>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  socket.on('message', (data: Buffer) => {
    heard.push(JSON.parse(data.toString()) as Fields);
    wake();
  });
  void ended.then(wake);
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const find = (part: Fields): Fields | undefined =>
    heard.find((message) => Object.entries(part).every(([name, value]) => message[name] === value));
  return {
    socket,
    heard,
    ended,
    say: (message: Fields | string) =>
      socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Resolves to the first message that has all these fields, received already or later. */
    hear: (part: Fields) =>
      new Promise<Fields>((resolve, reject) => {
        const look = (): void => {
          const found = find(part);
          if (found !== undefined) resolve(found);
          else if (socket.readyState === WebSocket.CLOSED) reject(new Error('The socket was closed'));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Opens a socket and authenticates it with the token. */
export async function openKnown(server: At, token: string, options?: RawOptions): Promise<RawSocket> {
  const raw = await openRaw(server, options);
  raw.say({ type: 'connection_init', payload: { accessToken: token } });
  await raw.hear({ type: 'connection_ack' });
  return raw;
}

let ids = 0;

/** Runs an operation; resolves to the type and payload of its first message. */
export async function ask(
  raw: RawSocket,
  query: unknown,
  variables?: Fields,
  more: Fields = {},
): Promise<{ readonly type: string; readonly payload: Fields & { readonly errors?: readonly Fields[] } }> {
  const id = `ask-${++ids}`;
  raw.say({ type: 'subscribe', id, payload: { query, variables, ...more } });
  const { type, payload } = (await raw.hear({ id })) as { type: string; payload: Fields };
  return { type, payload: type === 'error' ? { errors: payload as unknown as Fields[] } : payload };
}

/** Requests a socket that must be refused; resolves to the HTTP response. */
export async function refusedUpgrade(
  server: At,
  { path = '/graphql', protocol = 'graphql-transport-ws', ...options }: RawOptions = {},
): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocol, options);
  socket.on('error', () => undefined);
  return await new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.terminate();
      reject(new Error('The server accepted the socket'));
    });
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        socket.terminate();
      });
    });
  });
}
