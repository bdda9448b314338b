import { ask, openKnown } from './raw-socket.js';
import type { Fields, Member, TestServer } from './server.js';

type Server = Pick<TestServer, 'url'>;
type Caller = Pick<Member, 'token'>;

/** Sends one operation; resolves to the text of its response. */
type Send = (server: Server, caller: Caller, query: string, variables?: Fields) => Promise<string>;

const posted =
  (path: string, accept: string): Send =>
  async ({ url }, { token }, query, variables) => {
    const authorization = `Bearer ${token}`;
    const headers = { authorization, 'content-type': 'application/json', accept, connection: 'close' };
    const body = JSON.stringify({ query, variables });
    return await (await fetch(`${url}${path}`, { method: 'POST', headers, body })).text();
  };

export const overHttp: Send = posted('/graphql', 'application/json');

/** Resolves to the text of the stream: `event: next\ndata: {"data":…}\n\nevent: complete\ndata:\n\n`. */
export const overStream: Send = posted('/graphql/stream', 'text/event-stream');

/** Over a socket of its own; resolves to the payload of the first message. */
export const overSocket: Send = async (server, { token }, query, variables) => {
  const raw = await openKnown(server, token);
  const { payload } = await ask(raw, query, variables);
  raw.socket.close();
  return JSON.stringify(payload);
};

/** The transports of GraphQL by their names in titles of tests. */
export const TRANSPORTS: Readonly<Record<string, Send>> = {
  HTTP: overHttp,
  'a stream': overStream,
  'a socket': overSocket,
};

/** The response in such a text: of a stream, its first event. */
export const responseIn = (text: string): Fields =>
  JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as Fields;
