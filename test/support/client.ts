import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text as textOf } from 'node:stream/consumers';

import { expectDocumented } from './openapi-check.js';

export type Fields = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Fields;
  /** The record in `{ key: record }`. */
  record(key: string): Fields;
  /** The records in `{ key: [{ itemKey: record }] }`. */
  list(key: string): Fields[];
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

export type Client = ReturnType<typeof createClient>;

/** Sends REST requests; every response below /v1 is checked against the OpenAPI document. */
export function createClient(url: string, token: string | null) {
  const call = async (
    method: string,
    path: string,
    body?: Fields | FormData | string,
    { headers = {}, query = {} }: RequestOptions = {},
  ): Promise<Reply> => {
    const target = new URL(path.startsWith('/') ? path : `/v1/${path}`, url);
    if (token !== null) target.searchParams.set('access_token', token);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
    return await send(method, target, body, headers);
  };
  const by =
    (method: string) =>
    (path: string, body?: Fields | FormData | string, options?: RequestOptions): Promise<Reply> =>
      call(method, path, body, options);
  return { request: call, get: by('GET'), post: by('POST'), put: by('PUT'), delete: by('DELETE') };
}

/** A multipart body with these text fields, and a file unless `bytes` is null. */
export function fileForm(
  name: string,
  bytes: string | Uint8Array | null,
  fields: Readonly<Record<string, string>> = {},
  part = 'file',
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  if (bytes !== null)
    form.set(part, new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
  return form;
}

const agent = new Agent({ keepAlive: true });

/** Closes connections without a request. A server that stops leaves them open for a part of its grace. */
export function closeIdleConnections(): void {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends a request over http or https, whose certificates are not checked. Any method may have a body, which `fetch` does
 * not allow for GET. On a connection of its own unless an agent is given.
 */
export async function sendHttp(
  url: string | URL,
  { method = 'GET', headers = {}, body, agent = false }: HttpRequest = {},
): Promise<HttpReply> {
  const request = String(url).startsWith('https') ? httpsRequest : httpRequest;
  const sent = request(url, { method, agent, headers: { ...headers }, rejectUnauthorized: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const received = response.headers as Record<string, string>;
  return { status: response.statusCode ?? 0, headers: received, text: await textOf(response) };
}

interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  readonly agent?: Agent | false;
}

async function send(
  method: string,
  target: URL,
  body: Fields | FormData | string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const encoded = await encode(body);
  const sent = { method, agent, headers: { ...encoded.headers, ...headers }, body: encoded.bytes };
  const { status, headers: received, text } = await sendHttp(target, sent);
  const reply = replyOf(status, new Headers(received), text);
  const contentType = reply.headers.get('content-type') ?? '';
  expectDocumented({ method, url: target, contentType, ...reply });
  return reply;
}

async function encode(
  body: Fields | FormData | string | undefined,
): Promise<{ bytes?: Buffer; headers: Record<string, string> }> {
  if (body === undefined) return { headers: {} };
  if (body instanceof FormData) {
    const whole = new Response(body);
    const type = whole.headers.get('content-type') ?? '';
    const bytes = Buffer.from(await whole.arrayBuffer());
    return { bytes, headers: { 'content-type': type, 'content-length': String(bytes.length) } };
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = Buffer.from(text);
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' };
  return { bytes, headers: { ...type, 'content-length': String(bytes.length) } };
}

function replyOf(status: number, headers: Headers, text: string): Reply {
  const body = (
    text !== '' && headers.get('content-type')?.startsWith('application/json') === true
      ? JSON.parse(text)
      : {}
  ) as Fields;
  return {
    status,
    headers,
    text,
    body,
    record: (key) => body[key] as Fields,
    list: (key) => {
      const entries = body[key] as Record<string, Fields>[];
      return entries.map((entry) => Object.values(entry)[0] ?? {});
    },
  };
}
