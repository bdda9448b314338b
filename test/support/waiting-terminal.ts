import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

import { withoutTime } from './framework-terminal.js';

/** A terminal's own HTTP requests, each over a connection of its own. */
export interface HttpTerminal {
  get(path: string, method?: string): Promise<TerminalReply>;
  confirm(event: string | number, more?: object): Promise<TerminalReply>;
  /** Opens the stream of notifications. */
  stream(): Promise<NotificationStream>;
}

export interface TerminalReply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The messages of an answer with notifications, without the time that the server adds. */
  readonly messages: readonly string[];
}

export interface NotificationStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Text received so far. */
  text(): string;
  /** The ids of the events that have arrived. */
  ids(): readonly string[];
  /** Resolves when the server has ended it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

interface Listed {
  readonly notifications?: readonly { readonly message: string }[];
}

/** `named` is the serial number that a gateway names. */
export function httpTerminal(url: string, token: string, named?: string): HttpTerminal {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(named === undefined ? {} : { 'x-serial-number': named }),
  };
  const open = async (path: string, method: string, body?: string): Promise<IncomingMessage> => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(`${url}/terminal/v1${path}`, {
      method,
      headers: { ...headers, ...type },
      agent: false,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const reply = async (path: string, method: string, body?: string): Promise<TerminalReply> => {
    const response = await open(path, method, body);
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    const parsed = (text === '' ? {} : JSON.parse(text)) as TerminalReply['body'] & Listed;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: parsed,
      messages: (parsed.notifications ?? []).map(({ message }) => withoutTime(message)),
    };
  };
  return {
    get: (path, method = 'GET') => reply(path, method),
    confirm: (event, more = {}) =>
      reply('/notifications/confirm', 'POST', JSON.stringify({ type: 'pnconf', event, ...more })),
    stream: async () => {
      const response = await open('/notifications/stream', 'GET');
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        ids: () => [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id),
        ended: once(response, 'close'),
        close: () => void response.destroy(),
      };
    },
  };
}
