import { WebSocket } from 'ws';

import { sendHttp, type HttpReply } from './client.js';

type Headers = Readonly<Record<string, string>>;

/** The HTTP status of one query by each transport of GraphQL. */
export const SERVED = { POST: 200, GET: 200, stream: 200, socket: 101 };
export const REFUSED: typeof SERVED = { POST: 403, GET: 403, stream: 403, socket: 403 };

type Statuses = typeof SERVED;
const QUERY = '{ viewer { role } }';

/**
 * Sends a query as a page does: POST and GET with the token in Authorization, a stream as an EventSource and a socket
 * with the token in the URL, since a page can send no headers with these two.
 */
export async function overFourTransports(url: string, token: string, headers: Headers): Promise<Statuses> {
  const bearer = { ...headers, authorization: `Bearer ${token}` };
  const query = `query=${encodeURIComponent(QUERY)}`;
  const json = { ...bearer, 'content-type': 'application/json' };
  const body = JSON.stringify({ query: QUERY });
  const accept = { ...headers, accept: 'text/event-stream' };
  const answers = {
    POST: await sendHttp(`${url}/graphql`, { method: 'POST', headers: json, body }),
    GET: await sendHttp(`${url}/graphql?${query}`, { headers: bearer }),
    stream: await sendHttp(`${url}/graphql/stream?${query}&access_token=${token}`, { headers: accept }),
  };
  for (const answer of Object.values(answers)) requireAnswered(answer);
  return {
    POST: answers.POST.status,
    GET: answers.GET.status,
    stream: answers.stream.status,
    socket: await statusOfSocket(`${url}/graphql?access_token=${token}`, headers),
  };
}

function requireAnswered({ status, text: body }: HttpReply): void {
  const expected = status === 200 ? '"role":"ADMIN"' : 'FORBIDDEN';
  if (!body.includes(expected)) throw new Error(`${status}: ${body}`);
}

/** 101 after an operation over the socket was answered, else the status of the refusal. */
async function statusOfSocket(url: string, headers: Headers): Promise<number> {
  const options = { headers: { ...headers }, rejectUnauthorized: false };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), 'graphql-transport-ws', options);
  socket.on('error', () => undefined);
  const status = await new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', (data: Buffer) => {
      const message = data.toString();
      const subscribe = { type: 'subscribe', id: '1', payload: { query: QUERY } };
      if (message.includes('connection_ack')) socket.send(JSON.stringify(subscribe));
      if (message.includes('"role":"ADMIN"')) resolve(101);
    });
    socket.once('close', () => resolve(0));
  });
  socket.terminate();
  return status;
}
