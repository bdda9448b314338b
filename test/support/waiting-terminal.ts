import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

import { sendHttp, type HttpReply } from './client.js';
import { withoutTime } from './terminals.js';

export interface TerminalReply extends HttpReply {
  readonly body: Readonly<Record<string, unknown>>;
  /** The messages of an answer with notifications, without the time that the server adds. */
  readonly messages: readonly string[];
}

interface Listed {
  readonly notifications?: readonly { readonly message: string }[];
}

export type HttpTerminal = ReturnType<typeof httpTerminal>;

/** A terminal's own HTTP requests, each over a connection of its own. `named` is the serial number that a gateway names. */
export function httpTerminal(url: string, token: string, named?: string) {
  const headers = { authorization: `Bearer ${token}`, ...(named && { 'x-serial-number': named }) };
  const typed = { ...headers, 'content-type': 'application/json' };
  const reply = async (path: string, method: string, body?: string): Promise<TerminalReply> => {
    const { text, ...head } = await sendHttp(`${url}/terminal/v1${path}`, { method, headers: typed, body });
    const parsed = (text === '' ? {} : JSON.parse(text)) as TerminalReply['body'] & Listed;
    const messages = (parsed.notifications ?? []).map(({ message }) => withoutTime(message));
    return { ...head, text, body: parsed, messages };
  };
  return {
    get: (path: string, method = 'GET') => reply(path, method),
    confirm: (event: string | number, more: object = {}) =>
      reply('/notifications/confirm', 'POST', JSON.stringify({ type: 'pnconf', event, ...more })),
    /** Opens the stream of notifications. */
    stream: async () => {
      const sent = get(`${url}/terminal/v1/notifications/stream`, { headers, agent: false });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        /** Text received so far. */
        text: () => text,
        ids: () => [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id),
        /** Resolves when the server has ended it. */
        ended: once(response, 'close'),
        close: () => void response.destroy(),
      };
    },
  };
}
