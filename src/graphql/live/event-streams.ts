import type { Request, RequestHandler, Response } from 'express';

import { HttpProblem } from '../../http/problem.js';
import { headerOf, onClosed, requestContextOf, type ClientLimits } from '../../http/request.js';
import { EVENTS, EVENTS_COMMENT } from '../../http/send.js';
import { leaveRequests } from '../../http/server/admission.js';
import { DomainError } from '../../platform/errors.js';
import { renderError, RenderedErrors } from '../execution/mask.js';
import { readOperationText, sentBy, type OperationText } from '../http/operation-text.js';
import { requireCompany, graphqlContextOf, readCredentials } from '../http/request.js';
import { operationRefused, OperationRefused } from '../limits/limits.js';
import { takeStream, type LiveTimes } from './limits.js';
import { LiveOperation, type Client, type LiveParts, type Message } from './operation.js';
import { Outbox, type WritePieces } from './outbox.js';

/** GraphQL over server-sent events: "distinct connections" of graphql-sse, one connection per operation. */
export class EventStreams {
  readonly #subscriptions = new Set<EventStream>();
  #isStopping = false;

  constructor(
    private readonly parts: LiveParts,
    private readonly times: LiveTimes,
  ) {}

  /** Checks Accept, before the token is checked and the body is read. */
  readonly requireAcceptable: RequestHandler = (request, _response, next) => {
    if (request.accepts('text/event-stream') === false) {
      throw operationRefused(
        'BAD_REQUEST',
        'This path responds with text/event-stream only. Accept it, or send the operation to /graphql.',
      );
    }
    next();
  };

  readonly respond: RequestHandler = async (request, response) => {
    if (this.#isStopping) throw new DomainError('busy', 'The server is stopping.');
    const { limits, admission } = this.parts;
    const { caller } = graphqlContextOf(response);
    onClosed(response, takeStream(limits.slots, requestContextOf(response).ip, caller));
    leaveRequests(response);
    const stream = new EventStream(response, limits, this.times);
    const client = this.#clientOf(request, response, stream.signal);
    const operation = this.#operationOf(readOperationText(sentBy(request), admission), client);
    if (operation instanceof RenderedErrors) {
      await stream.send(operation);
      return;
    }
    if (request.method === 'GET' && operation.isChange)
      throw new HttpProblem(405, 'method_not_allowed', 'Send POST.', { Allow: 'POST' });
    if (operation.isSubscription) this.#subscriptions.add(stream);
    // Subscriptions check the token for each event, but a stalled stream makes none.
    const recheck = setInterval(() => {
      if (stream.isSending) client.context(null).catch(() => stream.destroy());
    }, this.times.recheckMs).unref();
    try {
      await stream.send(operation);
    } finally {
      clearInterval(recheck);
      this.#subscriptions.delete(stream);
    }
  };

  /** Cuts subscriptions; queries and mutations finish. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#subscriptions) stream.cut();
  }

  /** The errors of one that cannot run are sent as an event: an `EventSource` reads no body of a status but 200. */
  #operationOf(text: OperationText, client: Client): LiveOperation | RenderedErrors {
    try {
      return new LiveOperation(this.parts, client, text);
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      return renderError(this.parts, client.requestId, error);
    }
  }

  #clientOf(request: Request, response: Response, signal: AbortSignal): Client {
    const requestContext = requestContextOf(response);
    const { caller, request: facts } = graphqlContextOf(response);
    const credentials = readCredentials(request);
    return {
      transport: 'sse',
      signal,
      requestId: requestContext.requestId,
      lastSeen: lastSeenBy(request),
      context: async (subscription) => {
        const context = await this.parts.authenticate(credentials, requestContext, {
          ...facts,
          subscription,
        });
        requireCompany(context, caller.companyId);
        return context;
      },
    };
  }
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

const COMPLETE = 'event: complete\ndata:\n\n';

/** A response of server-sent events, one for each response or event, as fast as the client reads. */
class EventStream {
  readonly #stop = new AbortController();
  readonly #outbox: Outbox;
  #isCut = false;

  constructor(
    private readonly response: Response,
    { waiting }: ClientLimits,
    private readonly times: LiveTimes,
  ) {
    this.#outbox = new Outbox(writeTo(response), waiting);
    onClosed(response, () => this.#stop.abort());
  }

  /** Aborted when the client leaves or the stream is cut. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isSending(): boolean {
    return this.#outbox.bytes > 0;
  }

  async send(operation: LiveOperation | RenderedErrors): Promise<void> {
    const { response } = this;
    response.status(200).set(EVENTS);
    this.#write(EVENTS_COMMENT);
    const heartbeat = setInterval(() => {
      if (!this.isSending) this.#write(EVENTS_COMMENT);
    }, this.times.heartbeatMs).unref();
    try {
      await this.#run(operation);
      // A client does not reconnect after `complete`. Otherwise it does.
      if (!this.#isCut) this.#write(COMPLETE);
    } finally {
      clearInterval(heartbeat);
      response.end();
    }
  }

  /** Ends the stream without `complete`, so that the client reconnects. It has `closeMs` to read what was sent. */
  cut(): void {
    this.#isCut = true;
    this.#stop.abort();
    this.#outbox.room(0, AbortSignal.timeout(this.times.closeMs)).catch(() => this.destroy());
  }

  destroy(): void {
    this.response.destroy();
  }

  async #run(operation: LiveOperation | RenderedErrors): Promise<void> {
    try {
      if (operation instanceof RenderedErrors) throw operation;
      await operation.run((messages) => this.#send(messages.map(eventOf).join(''), operation.isChange));
    } catch (error) {
      if (!(error instanceof RenderedErrors)) throw error;
      await this.#send(eventOf({ id: null, payload: JSON.stringify({ errors: error.errors }) }));
    }
  }

  async #send(text: string, isChange?: boolean): Promise<void> {
    const { caller } = requestContextOf(this.response);
    try {
      await this.#outbox.send([text], caller?.companyId ?? null, isChange);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Too many bytes are unread: the client reconnects.
      this.cut();
    }
  }

  #write(text: string): void {
    if (!this.response.destroyed) this.response.write(text);
  }
}

function writeTo(response: Response): WritePieces {
  return ([piece]) =>
    new Promise((resolve) => {
      if (response.destroyed || piece === undefined) resolve(false);
      else response.write(piece.bytes, (error) => resolve(!(error instanceof Error)));
    });
}

function eventOf({ id, payload }: Message): string {
  const next = `event: next\ndata: ${payload}\n\n`;
  return id === null ? next : `id: ${id}\n${next}`;
}
