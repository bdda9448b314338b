import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { z } from 'zod';

import { SECOND, type Clock } from '../platform/clock.js';
import type { Stats } from './stats.js';

export interface Ask {
  readonly method: 'GET' | 'POST';
  /** The path with its query, for example `/terminal/v1/manifest`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Breaks the connection after so many bytes of the response's body; with 0, as soon as its headers arrive. */
  readonly cutAfter?: number;
  /** For the terminal's own wait: has a connection of its own, and its duration is no latency. */
  readonly isWait?: true;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Reply extends Answer {
  readonly body: Buffer;
  /** The client has broken the connection, as `cutAfter` says: `body` is the beginning. */
  readonly isCut: boolean;
}

/** An answer whose body has yet to be read. */
export interface OpenAnswer extends Answer {
  readonly stream: IncomingMessage;
}

/** No answer: the connection was refused or broken, or nothing came in time. */
export class NoAnswer extends Error {}

/** The server has closed an idle connection, often just as it was used again. */
export class StaleConnection extends NoAnswer {}

/** Short requests share connections, as those of a concentrator do; each wait has its own. */
const SHARED_SOCKETS = 256;
const ANSWER_MS = 60 * SECOND;

/**
 * Requests of all terminals of a run to one server. Not `fetch`: it has no limit of connections, does not say whether a
 * connection was used before, and needs four times the processor time while thousands of terminals wait.
 */
export class HttpClient {
  readonly #short;
  readonly #waiting;
  readonly #request;

  constructor(
    private readonly base: URL,
    private readonly stats: Stats,
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
    const reply = await replyOf(await this.open(ask), ask.cutAfter);
    if (ask.isWait !== true) this.stats.addLatency(this.clock.elapsed() - began);
    return reply;
  }

  /** Resolves once the headers of the response have arrived. Errors: `NoAnswer`. */
  async open({ method, path, headers = {}, body, isWait }: Ask): Promise<OpenAnswer> {
    this.stats.count('requests');
    const agent = isWait === true ? this.#waiting : this.#short;
    return await new Promise((resolve, reject) => {
      const sent = this.#request(new URL(path, this.base), { method, headers, agent, timeout: ANSWER_MS });
      sent.on('response', (stream: IncomingMessage) =>
        resolve({ status: stream.statusCode ?? 0, headers: stream.headers, stream }),
      );
      sent.on('timeout', () => sent.destroy(new Error(`nothing came in ${ANSWER_MS / SECOND} s`)));
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && error.code === 'ECONNRESET';
        const text = `${method} ${path.split('?')[0] ?? ''}: ${error.code ?? error.message}`;
        reject(isStale ? new StaleConnection(text) : new NoAnswer(text));
      });
      sent.end(body);
    });
  }

  close(): void {
    this.#short.destroy();
    this.#waiting.destroy();
  }
}

/** Errors: `NoAnswer`. */
async function replyOf({ stream, ...answer }: OpenAnswer, cutAfter = Infinity): Promise<Reply> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    if (cutAfter > 0) {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes >= cutAfter) break;
      }
    }
  } catch (error) {
    throw new NoAnswer(error instanceof Error ? error.message : String(error));
  }
  const isCut = bytes >= cutAfter;
  if (isCut) stream.destroy();
  return { ...answer, body: Buffer.concat(pieces).subarray(0, cutAfter), isCut };
}

/** Parses the answer. Errors: an `Error` if it does not have the documented form. */
export function parsed<T extends z.ZodType>(model: T, { status, body }: Pick<Reply, 'status' | 'body'>) {
  const result = model.safeParse(JSON.parse(body.toString() || 'null'));
  if (!result.success) throw new Error(`status ${status} with ${body.toString().slice(0, 200)}`);
  return result.data;
}
