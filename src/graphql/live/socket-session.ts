import { GraphQLError, type ExecutionArgs, type GraphQLFormattedError } from 'graphql';
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
import { RenderedErrors, renderError } from '../execution/mask.js';
import { idempotencyKeyOf, readOperationText, type Json } from '../http/operation-text.js';
import { requireCompany, type Credentials } from '../http/request.js';
import { operationRefused, type OperationRefused } from '../limits/limits.js';
import { LIVE_LIMITS, takeToken } from './limits.js';
import { LiveOperation, type Client, type LiveParts, type Message } from './operation.js';
import { Outbox } from './outbox.js';

export interface Opening extends Credentials {
  readonly ip: string;
  readonly requestId: string;
}

/** Context value of the execution arguments for graphql-ws. */
export interface SocketOperation {
  readonly operation: LiveOperation;
  readonly send: (messages: readonly Message[]) => Promise<void>;
}

/** Close codes of WebSockets (IANA registry): the server is overloaded, or it stops. */
const TRY_AGAIN_LATER = 1013;
const GOING_AWAY = 1001;
const NO_TOKEN = 'A valid access token is needed';

export class SocketSession {
  #token: string | undefined;
  /** Global id of the company that the page of the socket shows. */
  #company: string | undefined;
  /** Key in the rate limit. */
  #client: string;
  #companyId: number | null = null;
  #isStopping = false;
  /** Abort controllers of the running operations, by the client's id of the operation. */
  readonly #running = new Map<string, AbortController>();
  /** Queries and mutations without a response yet. */
  #pending = 0;
  readonly #outbox: Outbox;
  readonly #executed = new Semaphore({
    places: LIVE_LIMITS.executed,
    busy: () => new DomainError('busy', 'The socket has too many operations.', { retryAfter: 1 }),
  });

  constructor(
    private readonly socket: WebSocket,
    connection: Duplex,
    private readonly parts: LiveParts,
    private readonly opening: Opening,
    private readonly onAuthenticated: () => void,
  ) {
    socket.once('close', () => this.#running.forEach((stop) => stop.abort()));
    this.#client = opening.ip;
    this.#outbox = new Outbox(socket, connection, parts.limits.waiting);
  }

  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** True if bytes wait for the client: the idle rule of connections applies then. */
  get isSending(): boolean {
    return !this.#outbox.isEmpty;
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
      this.socket.once('close', takeToken(this.parts.limits.slots, caller));
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

  /** Handles `subscribe`. Returns arguments with a `SocketOperation` as context value, or the errors. */
  async subscribe(id: string, sent: Json): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const requestId = randomUUID();
    const stop = new AbortController();
    const refusal = this.#refusalOf(id);
    const onEnd = (): void => {
      if (refusal === null) this.#running.delete(id);
    };
    if (refusal === null) this.#running.set(id, stop);
    try {
      return await this.#prepare(id, sent, requestId, refusal, { stop, onEnd });
    } catch (error) {
      onEnd();
      return [wrapped(renderError(this.parts, requestId, error))];
    }
  }

  /** Errors that end an operation, as the client gets them. UNAUTHENTICATED also closes the socket. */
  render(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return errors.flatMap(({ originalError }) => {
      const rendered =
        originalError instanceof RenderedErrors
          ? originalError
          : renderError(this.parts, this.opening.requestId, originalError);
      if (rendered.code === 'UNAUTHENTICATED')
        setImmediate(() => this.#refuse(CloseCode.Forbidden, NO_TOKEN));
      return rendered.errors;
    });
  }

  async recheck(): Promise<void> {
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

  /** Resolves when the text is sent. Closes the socket if too many bytes are unread. */
  async send(text: string): Promise<void> {
    await this.#send([text]);
  }

  refuseOperations(): void {
    this.#isStopping = true;
  }

  /** Closes the socket when its client has read the last responses, at the latest after `ms`. */
  async close(ms: number): Promise<void> {
    await this.#outbox.room(0, AbortSignal.timeout(ms)).catch(() => undefined);
    this.socket.close(GOING_AWAY, 'The server is stopping');
  }

  fail(error: unknown): void {
    this.parts.onError(error, this.opening.requestId);
    this.#refuse(CloseCode.InternalServerError, 'Something went wrong on the server');
  }

  /** Why an operation cannot start; null if it can. graphql-ws knows operations by their id alone: each has its own. */
  #refusalOf(id: string): OperationRefused | null {
    const former = this.#running.get(id);
    former?.abort();
    if (former !== undefined) return idInUse();
    return this.#running.size < LIVE_LIMITS.operations ? null : tooManyOperations();
  }

  async #prepare(
    id: string,
    sent: Json,
    requestId: string,
    refusal: OperationRefused | null,
    { stop, onEnd }: Required<Pick<Client, 'stop' | 'onEnd'>>,
  ): Promise<ExecutionArgs> {
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
      stop,
      turn: (signal) => this.#turn(signal),
      onEnd: () => {
        onEnd();
        if (!operation.isSubscription) this.#pending -= 1;
      },
    };
    const operation = new LiveOperation(this.parts, client, text);
    if (!operation.isSubscription) this.#pending += 1;
    const contextValue: SocketOperation = {
      operation,
      send: (messages) => {
        const texts = messages.map(({ payload }) => nextMessage(id, payload));
        return this.#send(texts, operation.isChange);
      },
    };
    return { ...operation.args, contextValue };
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

  async #send(messages: readonly string[], isChange = false): Promise<void> {
    try {
      await this.#outbox.send(messages, this.#companyId, isChange);
    } catch {
      this.#refuse(TRY_AGAIN_LATER, 'Too many bytes of responses are unread');
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

function wrapped(rendered: RenderedErrors): GraphQLError {
  return new GraphQLError(rendered.message, { originalError: rendered });
}
