import { Agent, request as httpRequest } from 'node:http';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Reply {
  /** Time to the last byte of the response. */
  readonly milliseconds: number;
  /** Status and code of an error, for example `200`, `200 COST_LIMIT` or `503 busy`; `0 ECONNRESET` without a response. */
  readonly result: string;
  /** First 16 KiB of the body. */
  readonly text: string;
}

const headersOf = (token: string, type = 'application/json') => ({
  authorization: `Bearer ${token}`,
  'content-type': type,
});

/** A request to `/v1`. */
export const rest = (token: string, method: string, path: string, body?: object): Request => ({
  method,
  path: `/v1/${path}`,
  headers: headersOf(token),
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

export const graphql = (token: string, query: string, variables: object = {}): Request => ({
  method: 'POST',
  path: '/graphql',
  headers: headersOf(token),
  body: JSON.stringify({ query, variables }),
});

/** A client gives up after this time. */
const PATIENCE_MS = 120_000;
const KEPT_BYTES = 16 * 1024;

/** Sends one request; never rejects. */
export function send(url: string, { method, path, headers, body }: Request, agent: Agent): Promise<Reply> {
  const started = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const end = (result: string): void =>
      resolve({ milliseconds: performance.now() - started, result, text });
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, agent, headers: { ...headers, ...length }, timeout: PATIENCE_MS };
    const sent = httpRequest(`${url}${path}`, options, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (text.length < KEPT_BYTES) text += chunk.toString('latin1', 0, KEPT_BYTES);
      });
      response.once('error', () => end('0 cut'));
      response.once('end', () => end(resultOf(response.statusCode ?? 0, text)));
    });
    sent.once('timeout', () => sent.destroy(new Error('timeout')));
    sent.once('error', (error: NodeJS.ErrnoException) => end(`0 ${error.code ?? error.message}`));
    sent.end(body);
  });
}

function resultOf(status: number, text: string): string {
  const isFault = text.startsWith('{"errors"') || text.includes('"userErrors":[{') || status >= 300;
  if (!isFault) return String(status);
  const codes = [/"code":"(\w+)"/, /"limit":"(\w+)"/].map((pattern) => pattern.exec(text)?.[1]);
  return [status, ...codes.filter((code) => code !== undefined)].join(' ');
}

export interface Rounds {
  readonly milliseconds: number;
  readonly connections: number;
}

/** Repeats a request on keep-alive connections, each after its response. Rejects with a response that is no success. */
export async function runLoad(
  url: string,
  next: () => Request,
  { milliseconds, connections }: Rounds,
): Promise<{ readonly requests: number; readonly perSecond: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const started = performance.now();
  let requests = 0;
  const repeat = async (): Promise<void> => {
    while (performance.now() - started < milliseconds) {
      const request = next();
      const { result, text } = await send(url, request, agent);
      if (!/^20[01]$/.test(result)) throw new Error(`${request.path}: ${result} ${text}`);
      requests += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, repeat));
  } finally {
    agent.destroy();
  }
  return { requests, perSecond: (requests * 1_000) / (performance.now() - started) };
}
