import type { Request, RequestHandler, Response } from 'express';
import { OperationTypeNode } from 'graphql';
import { finished } from 'node:stream';

import { readToken } from '../../http/credential.js';
import { headerOf } from '../../http/headers.js';
import { readQuery } from '../../http/query.js';
import { requestContextOf } from '../../http/request-context.js';
import { leaveRequests } from '../../http/server/requests.js';
import { DomainError } from '../../platform/errors.js';
import { renderError, RenderedErrors } from '../execution/mask.js';
import { graphqlContextOf } from '../http/http-context.js';
import { methodNotAllowed, methodNotAllowedAt } from '../http/methods.js';
import { readOperationText, sentBy, type OperationText } from '../http/operation-text.js';
import { operationRefused, OperationRefused } from '../limits/limits.js';
import { takeConnection, takeToken } from './connection-slots.js';
import { EventStream, type Outcomes } from './event-stream.js';
import type { LiveTimes } from './limits.js';
import { Operation, type Client, type Outcome } from './operation/operation.js';
import type { LiveParts } from './parts.js';

/** GraphQL over server-sent events: "distinct connections" of graphql-sse, one connection per operation. */
export class EventStreams {
  readonly #subscriptions = new Set<EventStream>();
  #isStopping = false;

  constructor(
    private readonly parts: LiveParts,
    private readonly times: LiveTimes,
  ) {}

  /** Checks Accept, before the token is checked and the body is read. */
  readonly demandAcceptable: RequestHandler = (request, _response, next) => {
    if (request.accepts('text/event-stream') === false) {
      throw operationRefused(
        'BAD_REQUEST',
        'This path responds with text/event-stream only. Accept it, or send the operation to /graphql.',
      );
    }
    next();
  };

  /** Runs the operation in the body for the authenticated caller. */
  readonly respond: RequestHandler = async (request, response) => {
    const { ip } = requestContextOf(response);
    const { caller } = graphqlContextOf(response);
    if (this.#isStopping) throw new DomainError('busy', 'The server is stopping.');
    const { slots, waiting } = this.parts.limits;
    const connection = takeConnection(slots, ip, true);
    finished(response, { readable: false }, connection.release);
    finished(response, { readable: false }, takeToken(slots, caller));
    leaveRequests(response);
    waiting.demandRoom(caller.companyId);
    const client = this.#clientOf(request, response);
    const operation = this.#admit(readOperationText(sentBy(request)), client);
    if (operation instanceof RenderedErrors) {
      await this.#stream(response, errorOutcome(operation)).send();
      return;
    }
    if (request.method === 'GET' && operation.kind === OperationTypeNode.MUTATION)
      throw methodNotAllowed(['POST']);
    await this.#send(response, operation, client);
  };

  /** Cuts subscriptions; queries and mutations finish. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#subscriptions) stream.cut();
  }

  /**
   * The protocol has the errors of parsing and validation in a `next` event: an `EventSource` cannot read the
   * body of another status than 200.
   */
  #admit(text: OperationText, client: Client): Operation | RenderedErrors {
    try {
      return new Operation(this.parts.operations, client, text);
    } catch (error) {
      if (error instanceof OperationRefused) {
        return renderError(this.parts.operations, client.requestId, error);
      }
      throw error;
    }
  }

  #stream(response: Response, outcomes: Outcomes): EventStream {
    return new EventStream(response, this.times, outcomes);
  }

  async #send(response: Response, operation: Operation, client: Client): Promise<void> {
    const stream = this.#stream(response, operation.outcomes());
    if (operation.isSubscription) this.#subscriptions.add(stream);
    // Subscriptions check the token for each event, but a stalled stream makes none.
    const recheck = setInterval(() => {
      if (stream.isStalled) client.context(null).catch(() => stream.destroy());
    }, this.times.recheckMs).unref();
    try {
      await stream.send();
    } finally {
      clearInterval(recheck);
      this.#subscriptions.delete(stream);
    }
  }

  #clientOf(request: Request, response: Response): Client {
    const requestContext = requestContextOf(response);
    const facts = graphqlContextOf(response).request;
    const token = readToken(request, readQuery(request.originalUrl));
    return {
      ...{ transport: 'sse', requestId: requestContext.requestId, lastSeen: lastSeenBy(request) },
      context: (subscription) => this.parts.authenticate(token, requestContext, { ...facts, subscription }),
    };
  }
}

function* errorOutcome({ errors }: RenderedErrors): Generator<Outcome> {
  yield { response: JSON.stringify({ errors }) };
}

/** The header that an `EventSource` sends when it reconnects. */
function lastSeenBy(request: Request): number | null {
  const text = headerOf(request, 'last-event-id');
  if (text === undefined || text === '') return null;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw operationRefused(
    'BAD_REQUEST',
    'Last-Event-ID must be the id of an event of this server: a whole number.',
  );
}

const ADVICE =
  'The single connection mode of graphql-sse is not supported. Use its distinct connections mode (singleConnection: false): one request to /graphql/stream per operation, with Accept: text/event-stream.';

/** The header of a client that has reserved a connection. */
const RESERVATION = 'x-graphql-event-stream-token';

/** Refuses graphql-sse's single connection mode: PUT reserves a connection, other requests name it. */
export const refuseSingleConnection: RequestHandler = (request, _response, next) => {
  const { method, originalUrl, path } = request;
  if (method === 'PUT') throw methodNotAllowedAt(path, ADVICE);
  const isReserved = path.startsWith('/stream') && readQuery(originalUrl).has('token');
  if (isReserved || headerOf(request, RESERVATION) !== undefined)
    throw operationRefused('BAD_REQUEST', ADVICE);
  next();
};
