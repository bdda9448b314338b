import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly type: string;
  readonly sequence: number;
}

type Respond = (response: ServerResponse, request: Received) => void;

const OK: Respond = (response) => void response.writeHead(204).end();

/** A receiver of webhooks, new for each test, which answers 204 until `respond` is set. */
export function useReceiver() {
  const receiver = {
    url: '',
    received: [] as Received[],
    /** Requests that are open now, and the most that there were at once. */
    open: 0,
    mostOpen: 0,
    respond: OK,
    types: () => receiver.received.map(({ type }) => type),
    sequences: () => receiver.received.map(({ sequence }) => sequence),
  };
  const server = createServer((request, response) => {
    receiver.open += 1;
    receiver.mostOpen = Math.max(receiver.mostOpen, receiver.open);
    response.on('close', () => (receiver.open -= 1));
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { type, data } = JSON.parse(body) as { type: string; data: { sequence: number } };
      const received = { headers: request.headers, body, type, sequence: data.sequence };
      receiver.received.push(received);
      receiver.respond(response, received);
    });
  });
  beforeEach(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    Object.assign(receiver, {
      url: `http://127.0.0.1:${port}/hooks`,
      received: [],
      mostOpen: 0,
      respond: OK,
    });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return receiver;
}

/** The signature that Standard Webhooks demands of a request, written down a second time. */
export function signatureOf(secret: string, { headers, body }: Pick<Received, 'headers' | 'body'>): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
