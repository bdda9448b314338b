import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CloseCode, MessageType } from 'graphql-ws';
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

import { HttpProblem } from '../../http/problem.js';
import { clientKey, overLimit } from '../../http/server/admission.js';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { DomainError } from '../../platform/errors.js';
import { NO_FACTS, type GraphqlContext, type RequestFacts } from '../execution/context.js';
import { renderError } from '../execution/mask.js';
import { idempotencyKeyOf, readOperationText, type Json } from '../http/operation-text.js';
import { requireCompany, type Credentials } from '../http/request.js';
import { operationRefused, type OperationRefused } from '../limits/limits.js';
import { LIVE_LIMITS, takeCaller, type LiveTimes } from './limits.js';
import { LiveOperation, type Client, type LiveParts } from './operation.js';
import { Outbox, type WritePieces } from './outbox.js';

export interface Opening extends Credentials {
  readonly ip: string;
  readonly requestId: string;
}

/** Close codes of WebSockets (IANA registry): the server is overloaded, or it stops. */
const TRY_AGAIN_LATER = 1013;
const GOING_AWAY = 1001;
const NO_TOKEN = 'A valid access token is needed';

/** One socket: whose it is, its operations and what waits for its client. */
export class SocketSession {
  #token: string | undefined;
  /** Global id of the company that the page of the socket shows. */
  #company: string | undefined;
  /** Key in the rate limit. */
  #client: string;
  #companyId: number | null = null;
  #isStopping = false;
  /** Time of the last message or pong. */
  #heardAt: number;
  /** Running operations by the client's id of the operation; null for one that is being read. */
  readonly #running = new Map<string, LiveOperation | null>();
  readonly #outbox: Outbox;
  readonly #executed = new Semaphore({
    places: LIVE_LIMITS.executed,
    busy: () => new DomainError('busy', 'The socket has too many operations.', { retryAfter: 1 }),
  });

  constructor(
    private readonly socket: WebSocket,
    connection: Duplex,
    private readonly parts: LiveParts,
    private readonly times: LiveTimes,
    private readonly opening: Opening,
    private readonly onAuthenticated: () => void,
  ) {
    this.#client = opening.ip;
    this.#heardAt = parts.clock.elapsed();
    this.#outbox = new Outbox(writeFrames(socket, connection), parts.limits.waiting);
    const timers = [
      setInterval(() => this.#ping(), times.pingMs).unref(),
      setInterval(() => void this.#recheck(), times.recheckMs).unref(),
    ];
    socket.on('pong', () => this.hear()).once('close', () => timers.forEach((timer) => clearInterval(timer)));
  }

  /** True while a query or mutation runs, or its response is not sent. */
  get isBusy(): boolean {
    return [...this.#running.values()].some((operation) => operation?.isSubscription !== true);
  }

  /** Notes that something came from the client. */
  hear(): void {
    this.#heardAt = this.parts.clock.elapsed();
  }

  /** Handles `connection_init`. False if the socket is refused. */
  async connect(params: Json = {}): Promise<boolean> {
    const tokens = new Set([this.opening.token, ...tokensIn(params)].filter((token) => token !== undefined));
    if (tokens.size > 1) return this.#refuse(CloseCode.BadRequest, 'Send one access token only');
    [this.#token] = tokens;
    if (typeof params.company === 'string') this.#company = params.company;
    const { requestId } = this.opening;
    try {
      const { caller } = await this.#context(requestId);
      this.socket.once('close', takeCaller(this.parts.limits.slots, caller));
      this.#companyId = caller.companyId;
      this.#client = clientKey(caller, this.opening.ip);
    } catch (error) {
      if (error instanceof HttpProblem) return this.#refuse(TRY_AGAIN_LATER, error.message);
      const { code } = renderError(this.parts, requestId, error);
      // FORBIDDEN: the token belongs to a device.
      if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') {
        return this.#refuse(CloseCode.Forbidden, NO_TOKEN);
      }
      if (code === 'OTHER_COMPANY') {
        return this.#refuse(CloseCode.Forbidden, 'The session went on in another company');
      }
      return this.#refuse(TRY_AGAIN_LATER, 'Try again later');
    }
    this.onAuthenticated();
    return true;
  }

  /** Handles `subscribe`: runs the operation until its last message is sent. Rejects with `RenderedErrors`. */
  async run(id: string, sent: Json, signal: AbortSignal): Promise<void> {
    const requestId = randomUUID();
    const refusal = this.#refusalOf(id);
    if (refusal === null) this.#running.set(id, null);
    try {
      const operation = await this.#operation(sent, requestId, refusal, signal);
      this.#running.set(id, operation);
      await operation.run(async (messages) => {
        const texts = messages.map(({ payload }) => nextMessage(id, payload));
        await this.#send(texts, operation.isChange);
      });
    } catch (error) {
      throw renderError(this.parts, requestId, error);
    } finally {
      if (refusal === null) this.#running.delete(id);
    }
  }

  /** Errors that end an operation, as the client gets them. UNAUTHENTICATED also closes the socket. */
  errorsFor([error]: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    const rendered = renderError(this.parts, this.opening.requestId, error?.originalError);
    if (rendered.code === 'UNAUTHENTICATED') setImmediate(() => this.#refuse(CloseCode.Forbidden, NO_TOKEN));
    return rendered.errors;
  }

  /** Resolves when the text is sent. Closes the socket if too many bytes are unread. */
  async send(text: string): Promise<void> {
    await this.#send([text]);
  }

  refuseOperations(): void {
    this.#isStopping = true;
  }

  /** Closes the socket when its client has read the last responses, after `closeMs` at the latest. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    await this.#outbox.room(0, AbortSignal.timeout(this.times.closeMs)).catch(() => undefined);
    this.socket.close(GOING_AWAY, 'The server is stopping');
    await closed;
  }

  fail(error: unknown): void {
    this.parts.onError(error, this.opening.requestId);
    this.#refuse(CloseCode.InternalServerError, 'Something went wrong on the server');
  }

  /** Why an operation cannot start; null if it can. graphql-ws knows operations by their id alone: each has its own. */
  #refusalOf(id: string): OperationRefused | null {
    if (this.#running.has(id)) return idInUse();
    return this.#running.size < LIVE_LIMITS.operations ? null : tooManyOperations();
  }

  async #operation(
    sent: Json,
    requestId: string,
    refusal: OperationRefused | null,
    signal: AbortSignal,
  ): Promise<LiveOperation> {
    const counted = this.parts.count(this.#client);
    if (counted !== null && counted.retryAfter !== null) {
      const { retryAfter } = counted;
      throw operationRefused('RATE_LIMITED', overLimit(counted), { retryAfter });
    }
    if (this.#isStopping) throw new DomainError('busy', 'The server is stopping.');
    if (refusal !== null) throw refusal;
    await this.#context(requestId);
    const text = readOperationText(sent, this.parts.admission);
    const facts = { ...NO_FACTS, budget: counted, idempotencyKey: idempotencyKeyOf(sent) };
    const client: Client = {
      transport: 'websocket',
      requestId,
      lastSeen: null,
      context: (subscription) => this.#context(requestId, { ...facts, subscription }),
      signal,
      turn: () => this.#turn(signal),
    };
    return new LiveOperation(this.parts, client, text);
  }

  /** Waits until the next query or mutation can be executed. Resolves with a function that ends it. */
  async #turn(signal: AbortSignal): Promise<() => void> {
    const release = await this.#executed.acquire(null, signal);
    try {
      await yieldToEventLoop();
      await this.#outbox.room(LIVE_LIMITS.bufferedBytes, signal);
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  async #send(messages: readonly string[], isChange?: boolean): Promise<void> {
    const { socket } = this;
    const { bufferedBytes } = LIVE_LIMITS;
    try {
      const sent = this.#outbox.send(messages, this.#companyId, isChange);
      if (this.#outbox.bytes > bufferedBytes && !socket.isPaused) {
        socket.pause();
        void this.#outbox.room(bufferedBytes).then(() => socket.resume());
      }
      await sent;
    } catch {
      this.#refuse(TRY_AGAIN_LATER, 'Too many bytes of responses are unread');
    }
  }

  /** Pings the client; terminates the socket if it would be silent for longer than `idleMs` at the next ping. */
  #ping(): void {
    const { idleMs, pingMs } = this.times;
    // A client that reads slowly gets the ping late; its connection is judged by what it reads. What the system holds
    // when all is sent, some megabytes, it may read within the idle time.
    if (this.#outbox.bytes > 0) this.hear();
    if (this.parts.clock.elapsed() - this.#heardAt <= idleMs - pingMs) this.socket.ping();
    else this.socket.terminate();
  }

  async #recheck(): Promise<void> {
    if (this.#companyId === null) return;
    try {
      await this.#context(this.opening.requestId);
    } catch (error) {
      // After other errors the socket stays open: the token is checked again before each event.
      if (error instanceof DomainError && error.code === 'unauthenticated') {
        this.#refuse(CloseCode.Forbidden, NO_TOKEN);
      }
    }
  }

  async #context(requestId: string, facts?: RequestFacts): Promise<GraphqlContext> {
    const { ip, cookie, company = this.#company } = this.opening;
    const credentials = {
      token: this.#token,
      cookie: this.#token === undefined ? cookie : undefined,
      company,
    };
    const context = await this.parts.authenticate(credentials, { ip, requestId }, facts);
    requireCompany(context, this.#companyId);
    return context;
  }

  #refuse(code: number, reason: string): false {
    this.socket.close(code, reason);
    return false;
  }
}

/** The tokens in `accessToken`, `access_token` (as in REST) and `authorization` ("Bearer …"). */
function tokensIn(params: Json): (string | undefined)[] {
  const { accessToken, access_token, authorization, Authorization } = params;
  const bearer = [authorization, Authorization].map((value) =>
    typeof value === 'string' ? /^Bearer +(\S+)$/i.exec(value)?.[1] : undefined,
  );
  const plain = [accessToken, access_token].map((value) => (typeof value === 'string' ? value : undefined));
  return [...plain, ...bearer];
}

/** A message of the protocol whose payload is JSON already. */
function nextMessage(id: string, payload: string): string {
  return `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":${payload}}`;
}

function tooManyOperations(maximum = LIVE_LIMITS.operations): OperationRefused {
  const message = `At most ${maximum} operations run on a socket at a time. End one first.`;
  return operationRefused('TOO_MANY_OPERATIONS', message, { maximum });
}

function idInUse(): OperationRefused {
  const message = 'An operation with this id has not ended yet. Give each operation its own id.';
  return operationRefused('OPERATION_ID_IN_USE', message);
}

/** Writes pieces of messages as frames. `connection` is what the socket writes to. */
function writeFrames(socket: WebSocket, connection: Duplex): WritePieces {
  return (pieces) =>
    new Promise((resolve) => {
      connection.cork();
      for (const { bytes, isLast } of pieces) {
        socket.send(bytes, { fin: isLast, binary: false }, (error) => resolve(!(error instanceof Error)));
      }
      connection.uncork();
    });
}
