import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

import { sendHttp, type HttpReply } from './client.js';
import { withoutTime } from './framework-terminal.js';

/** A terminal's own HTTP requests, each over a connection of its own. */
export interface HttpTerminal {
  get(path: string, method?: string): Promise<TerminalReply>;
  confirm(event: string | number, more?: object): Promise<TerminalReply>;
  /** Opens the stream of notifications. */
  stream(): Promise<NotificationStream>;
}

export interface TerminalReply extends HttpReply {
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
  const typed = { ...headers, 'content-type': 'application/json' };
  const reply = async (path: string, method: string, body?: string): Promise<TerminalReply> => {
    const { text, ...head } = await sendHttp(`${url}/terminal/v1${path}`, { method, headers: typed, body });
    const parsed = (text === '' ? {} : JSON.parse(text)) as TerminalReply['body'] & Listed;
    const messages = (parsed.notifications ?? []).map(({ message }) => withoutTime(message));
    return { ...head, text, body: parsed, messages };
  };
  return {
    get: (path, method = 'GET') => reply(path, method),
    confirm: (event, more = {}) =>
      reply('/notifications/confirm', 'POST', JSON.stringify({ type: 'pnconf', event, ...more })),
    stream: async () => {
      const sent = get(`${url}/terminal/v1/notifications/stream`, { headers, agent: false });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
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
