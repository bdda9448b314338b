import type { Request, RequestHandler, Response } from 'express';
import { OperationTypeNode } from 'graphql';
import { finished } from 'node:stream';

import { requestContextOf as requestContextOf } from '../../http/request-context.js';
import { DomainError } from '../../platform/errors.js';
import { readToken } from '../../http/credential.js';
import { HttpProblem } from '../../http/problem.js';
import { readQuery } from '../../http/query.js';
import type { Authenticate } from '../http/authentication.js';
import { PREFLIGHT_HEADERS } from '../http/body.js';
import { graphqlContextOf } from '../http/http-context.js';
import { operationRefused } from '../limits/limits.js';
import { readOperationText, sentInQuery, type OperationText } from '../http/operation-text.js';
import type { InFlightResponses } from '../limits/in-flight.js';
import type { LiveTimes } from './limits.js';
import { Operation, type Asker, type OperationParts } from './operation.js';
import { demandOwnOrigin } from './origin.js';
import { takeConnection, takeToken, tooManyOfToken, type ConnectionSlots } from './connection-slots.js';
import { EventStream } from './event-stream.js';

export interface StreamParts {
  readonly operations: OperationParts;
  readonly authenticate: Authenticate;
  readonly seats: ConnectionSlots;
  readonly underWay: InFlightResponses;
}

/** GraphQL over server-sent events, a connection for each operation. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  #stopping = false;

  constructor(
    private readonly parts: StreamParts,
    private readonly times: LiveTimes,
  ) {}

  /** Refuses what is no such request, before anybody looks at its token or reads its body. */
  readonly demandShape: RequestHandler = (request, _response, next) => {
    const { method, headers } = request;
    if (method !== 'GET' && method !== 'POST') throw notAllowed('GET, POST');
    if (request.accepts('text/event-stream') === false) {
      throw operationRefused(
        'BAD_REQUEST',
        'This path answers text/event-stream only: accept it, or ask at /graphql.',
      );
    }
    // A browser asks first before it sends one of the headers; the token, which no browser adds by itself, is the wall.
    if (!PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)) demandOwnOrigin(request);
    next();
  };

  /** Answers a caller who is known, whose operation is read. */
  readonly answer: RequestHandler = async (request, response) => {
    const { ip } = requestContextOf(response);
    const { caller } = graphqlContextOf(response);
    if (this.#stopping) throw new DomainError('busy', 'The server is stopping.');
    const connection = takeConnection(this.parts.seats, ip, true);
    finished(response, { readable: false }, connection.leave);
    const leave = takeToken(this.parts.seats, caller);
    if (leave === null) throw tooManyOfToken();
    finished(response, { readable: false }, leave);
    const asker = this.#askerOf(request, response);
    const operation = new Operation(this.parts.operations, asker, textOf(request));
    if (request.method === 'GET' && operation.kind === OperationTypeNode.MUTATION) throw notAllowed('POST');
    await this.#send(response, operation, asker);
  };

  /** Cuts every subscription where it is; what has one answer finishes, and is complete then. */
  stop(): void {
    this.#stopping = true;
    for (const stream of this.#open) stream.cut();
  }

  async #send(response: Response, operation: Operation, asker: Asker): Promise<void> {
    const { companyId } = graphqlContextOf(response).caller;
    const room = (bytes: number) => this.parts.underWay.take(companyId, bytes);
    const stream = new EventStream(response, { times: this.times, room }, operation.outcomes());
    if (operation.isStream) this.#open.add(stream);
    // A stream that waits for its client looks at nothing; the others do it themselves.
    const watch = setInterval(() => {
      if (stream.isStalled) asker.context(null).catch(() => stream.destroy());
    }, this.times.recheckMs).unref();
    try {
      await stream.send();
    } finally {
      clearInterval(watch);
      this.#open.delete(stream);
    }
  }

  /** As the request was authenticated, and again whenever it is asked. */
  #askerOf(request: Request, response: Response): Asker {
    const { ip, requestId } = requestContextOf(response);
    const facts = graphqlContextOf(response).request;
    const token = readToken(request, readQuery(request.originalUrl));
    const origin = { channel: 'api', ip, requestId } as const;
    return {
      ...{ transport: 'sse', requestId, lastSeen: lastSeenBy(request) },
      context: (lasting) => this.parts.authenticate(token, origin, { ...facts, lasting }),
    };
  }
}

/** What an `EventSource` says when it comes back. */
function lastSeenBy(request: Request): number | null {
  const text = request.headers['last-event-id'];
  if (text === undefined || text === '') return null;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw operationRefused('BAD_REQUEST', 'Last-Event-ID is the id of an event from here: its sequence.');
}

function textOf(request: Request): OperationText {
  const isGet = request.method === 'GET';
  return readOperationText(isGet ? sentInQuery(request.originalUrl) : (request.body as object as Sent));
}

type Sent = Readonly<Record<string, unknown>>;

function notAllowed(allow: string): HttpProblem {
  return new HttpProblem(405, 'method_not_allowed', `This takes ${allow.replace(', ', ' and ')}.`, {
    Allow: allow,
  });
}
