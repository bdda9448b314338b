import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

import { SECOND, type Clock } from '../platform/clock.js';
import type { Figures } from './figures/figures.js';

export interface Ask {
  readonly method: 'GET' | 'POST';
  /** With its query, for example `/terminal/v1/manifest`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Breaks the connection after so many bytes of the response's body; with 0, as soon as its headers arrive. */
  readonly cutAfter?: number;
  /** For the terminal's own wait: has a connection of its own, and its duration is no latency. */
  readonly isWait?: true;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The client has broken the connection, as `cutAfter` says: `body` is the beginning. */
  readonly isCut: boolean;
}

/** No answer: the connection was refused or broken, or nothing came in time. */
export class NoAnswer extends Error {}

/** The server has closed an idle connection, often just as it was used again. */
export class StaleConnection extends NoAnswer {}

/** Short requests share connections, as those of a concentrator do; each wait has its own. */
const SHARED_SOCKETS = 256;
const ANSWER_MS = 60 * SECOND;
/** Larger than any asset. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Requests of all terminals of a run to one server. */
export class HttpClient {
  readonly #short;
  readonly #waiting;
  readonly #request;
  readonly #waits = new Set<ClientRequest>();

  constructor(
    private readonly base: URL,
    private readonly figures: Figures,
    private readonly clock: Clock,
  ) {
    const isTls = base.protocol === 'https:';
    const agent = (maxSockets: number): Agent =>
      new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets });
    this.#short = agent(SHARED_SOCKETS);
    this.#waiting = agent(Number.MAX_SAFE_INTEGER);
    this.#request = isTls ? tlsRequest : request;
  }

  /** Errors: `NoAnswer`. */
  async ask(ask: Ask): Promise<Reply> {
    const began = this.clock.elapsed();
    const response = await this.open(ask);
    const reply = await bodyOf(response, ask.cutAfter);
    if (ask.isWait !== true) this.figures.latencies.add(this.clock.elapsed() - began);
    return reply;
  }

  /** Resolves to the response once its headers have arrived. Errors: `NoAnswer`. */
  async open(ask: Ask): Promise<IncomingMessage> {
    this.figures.count('requests');
    return await this.#send(ask);
  }

  /** Breaks the connections of all waits. */
  breakWaits(): void {
    for (const wait of this.#waits) wait.destroy();
  }

  close(): void {
    this.breakWaits();
    this.#short.destroy();
    this.#waiting.destroy();
  }

  #send({ method, path, headers = {}, body, isWait }: Ask): Promise<IncomingMessage> {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options: RequestOptions = {
      ...{ method, agent: isWait === true ? this.#waiting : this.#short, timeout: ANSWER_MS },
      headers: { ...headers, ...length },
    };
    return new Promise((resolve, reject) => {
      const sent = this.#request(new URL(path, this.base), options, resolve);
      if (isWait === true) {
        this.#waits.add(sent);
        sent.once('close', () => this.#waits.delete(sent));
      }
      sent.on('timeout', () => sent.destroy(new Error(`nothing came in ${ANSWER_MS / SECOND} s`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        const text = `${method} ${path.split('?')[0] ?? ''}: ${error.code ?? error.message}`;
        reject(isStale ? new StaleConnection(text) : new NoAnswer(text));
      });
      sent.end(body);
    });
  }
}

/** Errors: `NoAnswer`. */
function bodyOf(response: IncomingMessage, cutAfter = Number.POSITIVE_INFINITY): Promise<Reply> {
  const { statusCode: status = 0, headers } = response;
  const pieces: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const end = (isCut: boolean): void => {
      if (isCut) response.destroy();
      const body = Buffer.concat(pieces);
      resolve({ status, headers, body: isCut ? body.subarray(0, cutAfter) : body, isCut });
    };
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > MAX_BODY_BYTES) response.destroy();
      else if (bytes >= cutAfter) end(true);
    });
    response.on('end', () => end(false));
    response.on('error', (error) => reject(new NoAnswer(error.message)));
    response.on('close', () => reject(new NoAnswer('The connection was broken in the middle of an answer.')));
    if (cutAfter === 0) end(true);
  });
}
