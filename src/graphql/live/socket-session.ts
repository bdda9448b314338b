import { GraphQLError, type ExecutionArgs, type GraphQLFormattedError } from 'graphql';
import { CloseCode } from 'graphql-ws';
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';

import type { Budget } from '../../http/request-context.js';
import { overLimit, type CountRequest } from '../../http/server/rate-limit.js';
import { DomainError } from '../../platform/errors.js';
import { isIdempotencyKey } from '../../resources/idempotency-key/idempotency-key.service.js';
import type { Authenticate } from '../http/authentication.js';
import type { GraphqlContext } from '../execution/context.js';
import { operationRefused } from '../limits/limits.js';
import type { InFlightResponses } from '../limits/in-flight.js';
import { NO_FACTS, type RequestFacts } from '../execution/request.js';
import { LIVE_LIMITS } from './limits.js';
import { readOperationText } from '../http/operation-text.js';
import { Operation, type OperationParts, type Running } from './operation.js';
import { takeToken, type ConnectionSlots } from './connection-slots.js';
import { rateLimited, tell, Told } from './rendered-errors.js';

export interface SocketSessionParts {
  readonly operations: OperationParts;
  readonly authenticate: Authenticate;
  readonly count: CountRequest;
  readonly seats: ConnectionSlots;
  readonly underWay: InFlightResponses;
}

/** What the request for the socket said. */
export interface Opening {
  readonly ip: string;
  readonly requestId: string;
  readonly token: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** RFC 6455: the server is overloaded; and what it is about to do is to leave. */
const TRY_AGAIN_LATER = 1013;
const GOING_AWAY = 1001;
const NO_TOKEN = 'A valid access token is needed';

/** One socket: whose it is, and what runs on it. */
export class SocketSession {
  #token: string | undefined;
  #known = false;
  #companyId = 0;
  #leaving = false;
  /** How to end what runs, by the client's name for it. */
  readonly #running = new Map<string, AbortController>();
  #unanswered = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly parts: SocketSessionParts,
    private readonly opening: Opening,
    /** Told once it is known whose it is. */
    private readonly onKnown: () => void,
  ) {
    socket.once('close', () => this.#running.forEach((stop) => stop.abort()));
  }

  /** Whether queries or mutations have no answer yet. */
  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  /** Whether the socket may be used: `connection_init`. */
  async connect(params: Json = {}): Promise<boolean> {
    const tokens = new Set([this.opening.token, ...tokensIn(params)].filter((token) => token !== undefined));
    if (tokens.size > 1) return this.#refuse(CloseCode.BadRequest, 'Send the access token once');
    [this.#token] = tokens;
    const { requestId } = this.opening;
    try {
      const { caller } = await this.#context(requestId);
      const leave = takeToken(this.parts.seats, caller);
      if (leave === null) return this.#refuse(TRY_AGAIN_LATER, 'Too many connections with this token');
      this.socket.once('close', leave);
      this.#companyId = caller.companyId;
    } catch (error) {
      const { code } = tell(this.parts.operations, requestId, error);
      if (code === 'UNAUTHENTICATED') return this.#refuse(CloseCode.Forbidden, NO_TOKEN);
      return this.#refuse(TRY_AGAIN_LATER, 'Try again later');
    }
    this.#known = true;
    this.onKnown();
    return true;
  }

  /** What to execute for a `subscribe` message; the operation is its context value. */
  async subscribe(id: string, sent: Json): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const requestId = randomUUID();
    const stop = new AbortController();
    const refused = this.#noRoomFor(id);
    const onOver = (): void => {
      if (refused === null) this.#running.delete(id);
    };
    if (refused === null) this.#running.set(id, stop);
    try {
      return await this.#prepare(sent, requestId, refused, { stop, onOver });
    } catch (error) {
      onOver();
      return [wrapped(tell(this.parts.operations, requestId, error))];
    }
  }

  /** What the client is told of errors that end an operation; the token's end the socket with it. */
  shown(errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    return errors.flatMap(({ originalError }) => {
      const told =
        originalError instanceof Told
          ? originalError
          : tell(this.parts.operations, this.opening.requestId, originalError);
      if (told.code === 'UNAUTHENTICATED') setImmediate(() => this.#refuse(CloseCode.Forbidden, NO_TOKEN));
      return told.errors;
    });
  }

  /** Ends the socket where its token is of no use any more. */
  async recheck(): Promise<void> {
    if (!this.#known) return;
    try {
      await this.#context(this.opening.requestId);
    } catch (error) {
      // Whatever else it is: no event goes out for which the right could not be looked up.
      if (error instanceof DomainError && error.code === 'unauthenticated') {
        this.#refuse(CloseCode.Forbidden, NO_TOKEN);
      }
    }
  }

  /** Room for a text until it is taken; null where too much waits, which ends the socket. */
  roomFor(text: string): (() => void) | null {
    const room = this.parts.underWay.take(this.#companyId, text.length);
    if (room === null) this.#refuse(TRY_AGAIN_LATER, 'Too many large answers wait to be read');
    return room;
  }

  /** Takes no new operations. */
  leave(): void {
    this.#leaving = true;
  }

  close(): void {
    this.socket.close(GOING_AWAY, 'The server is stopping');
  }

  /** What went wrong here is ours. */
  fail(error: unknown): void {
    this.parts.operations.onError(error, this.opening.requestId);
    this.#refuse(CloseCode.InternalServerError, 'Something went wrong on the server');
  }

  /**
   * Why an operation cannot begin; null where it can. What was completed and has not ended yet must not be taken for
   * the next of that name: the library knows operations by their name alone.
   */
  #noRoomFor(id: string): GraphQLError | null {
    const before = this.#running.get(id);
    before?.abort();
    if (before !== undefined) return stillRuns();
    return this.#running.size < LIVE_LIMITS.operations ? null : tooMany();
  }

  async #prepare(
    sent: Json,
    requestId: string,
    refused: GraphQLError | null,
    { stop, onOver }: Running,
  ): Promise<ExecutionArgs> {
    const counted = await this.parts.count(this.opening.ip);
    if (counted !== null && counted.retryAfter !== null) {
      throw rateLimited(counted.retryAfter, overLimit(counted.budget));
    }
    if (this.#leaving) throw new DomainError('busy', 'The server is stopping.');
    if (refused !== null) throw refused;
    await this.#context(requestId);
    const text = readOperationText(sent);
    const facts = { ...NO_FACTS, budget: budgetOf(counted), idempotencyKey: idempotencyKeyOf(sent) };
    const asker = {
      ...({ transport: 'websocket', requestId, lastSeen: null } as const),
      context: (lasting: RequestFacts['lasting']) => this.#context(requestId, { ...facts, lasting }),
    };
    const operation = new Operation(this.parts.operations, asker, text, {
      stop,
      onOver: () => {
        onOver();
        if (!operation.isStream) this.#unanswered -= 1;
      },
    });
    if (!operation.isStream) this.#unanswered += 1;
    return { ...operation.args, contextValue: operation };
  }

  async #context(requestId: string, facts?: RequestFacts): Promise<GraphqlContext> {
    return await this.parts.authenticate(
      this.#token,
      { channel: 'api', ip: this.opening.ip, requestId },
      facts,
    );
  }

  #refuse(code: number, reason: string): false {
    this.socket.close(code, reason);
    return false;
  }
}

/** `accessToken`, in the words of REST as well, or `authorization` as the header has it. */
function tokensIn(params: Json): (string | undefined)[] {
  const { accessToken, access_token, authorization, Authorization } = params;
  const bearer = [authorization, Authorization].map((value) =>
    typeof value === 'string' ? /^Bearer +(\S+)$/i.exec(value)?.[1] : undefined,
  );
  const plain = [accessToken, access_token].map((value) => (typeof value === 'string' ? value : undefined));
  return [...plain, ...bearer];
}

function budgetOf(counted: Awaited<ReturnType<CountRequest>>): Budget | null {
  return counted?.budget ?? null;
}

/** As the header of that name: in the operation's `extensions`, since a socket has headers once only. */
function idempotencyKeyOf({ extensions }: Json): string | null {
  const key = (extensions as Json | null | undefined)?.idempotencyKey;
  if (key == null) return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw operationRefused(
    'BAD_REQUEST',
    'An idempotencyKey has 1 to 255 printable ASCII characters and no spaces.',
  );
}

function tooMany(): GraphQLError {
  const most = LIVE_LIMITS.operations;
  return new GraphQLError(`At most ${most} operations run on a socket at a time: end one first.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS', maximum: most },
  });
}

function stillRuns(): GraphQLError {
  return new GraphQLError('The operation before of this id has not ended yet: give each an id of its own.', {
    extensions: { code: 'OPERATION_ID_IN_USE' },
  });
}

function wrapped(told: Told): GraphQLError {
  return new GraphQLError(told.message, { originalError: told });
}
