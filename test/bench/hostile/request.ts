import { request as httpRequest, type Agent } from 'node:http';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Outcome {
  /** Milliseconds to the last byte of the response. */
  readonly milliseconds: number;
  /** `200`, `200 COST_LIMIT`, `503 busy`, or the error of the connection. */
  readonly result: string;
}

/** After this long a client gives up. */
const PATIENCE_MS = 120_000;
const KEPT_BYTES = 16 * 1024;

/** Sends one request; never rejects. */
export function send(url: string, { method, path, headers, body }: Request, agent: Agent): Promise<Outcome> {
  const started = performance.now();
  return new Promise((resolve) => {
    const end = (result: string): void => resolve({ milliseconds: performance.now() - started, result });
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, agent, headers: { ...headers, ...length }, timeout: PATIENCE_MS };
    const sent = httpRequest(`${url}${path}`, options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        if (text.length < KEPT_BYTES) text += chunk.toString('latin1', 0, KEPT_BYTES);
      });
      response.once('error', () => end('cut off'));
      response.once('end', () => end(resultOf(response.statusCode ?? 0, text)));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    sent.end(body);
  });
}

function resultOf(status: number, text: string): string {
  const code = /^\{"errors":.{0,2000}?"code":"(\w+)"/s.exec(text)?.[1] ?? /"code":"(\w+)"/.exec(text)?.[1];
  const limit = /"limit":"(\w+)"/.exec(text)?.[1];
  const named = text.startsWith('{"errors"') || text.includes('"userErrors":[{') || status >= 300;
  return [
    status,
    ...(named && code !== undefined ? [code] : []),
    ...(limit === undefined ? [] : [limit]),
  ].join(' ');
}
