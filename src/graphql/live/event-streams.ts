import type { Request, RequestHandler, Response } from 'express';
import { finished } from 'node:stream';

import { HttpProblem } from '../../http/problem.js';
import { headerOf, requestContextOf } from '../../http/request.js';
import { bufferPieces, EVENTS, EVENTS_COMMENT, holdBytes, removed, writeInPieces } from '../../http/send.js';
import { leaveRequests } from '../../http/server/admission.js';
import type { HeldBytes } from '../../platform/client-limits.js';
import { DomainError } from '../../platform/errors.js';
import { renderError, RenderedErrors } from '../execution/mask.js';
import { readOperationText, sentBy } from '../http/operation-text.js';
import { requireCompany, graphqlContextOf, readCredentials } from '../http/request.js';
import { operationRefused, OperationRefused } from '../limits/limits.js';
import { takeConnection, takeToken, type LiveTimes } from './limits.js';
import { LiveOperation, type Client, type LiveParts, type Message, type Messages } from './operation.js';

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
    const { ip } = requestContextOf(response);
    const { caller } = graphqlContextOf(response);
    if (this.#isStopping) throw new DomainError('busy', 'The server is stopping.');
    const { slots } = this.parts.limits;
    const connection = takeConnection(slots, ip, true);
    finished(response, { readable: false }, connection.release);
    finished(response, { readable: false }, takeToken(slots, caller));
    leaveRequests(response);
    const client = this.#clientOf(request, response);
    const text = readOperationText(sentBy(request), this.parts.admission);
    let operation: LiveOperation;
    try {
      operation = new LiveOperation(this.parts, client, text);
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      // An `EventSource` cannot read the body of another status than 200.
      const messages = refusal(renderError(this.parts, client.requestId, error));
      await new EventStream(response, this.times, messages).send();
      return;
    }
    if (request.method === 'GET' && operation.isChange)
      throw new HttpProblem(405, 'method_not_allowed', 'Send POST.', { Allow: 'POST' });
    await this.#send(response, operation, client);
  };

  /** Cuts subscriptions; queries and mutations finish. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of this.#subscriptions) stream.cut();
  }

  async #send(response: Response, operation: LiveOperation, client: Client): Promise<void> {
    const stream = new EventStream(response, this.times, operation.messages(), operation.isChange);
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
    const { caller, request: facts } = graphqlContextOf(response);
    const credentials = readCredentials(request);
    return {
      transport: 'sse',
      stop: new AbortController(),
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

function* refusal({ errors }: RenderedErrors): Generator<readonly Message[]> {
  yield [{ id: null, payload: JSON.stringify({ errors }) }];
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
  #isCut = false;
  #isSending = false;
  readonly #held: HeldBytes;

  constructor(
    private readonly response: Response,
    private readonly times: Pick<LiveTimes, 'heartbeatMs'>,
    private readonly messages: Messages | Generator<readonly Message[]>,
    private readonly isChange = false,
  ) {
    this.#held = holdBytes(response);
  }

  /** True if the client does not read what is buffered for it. */
  get isStalled(): boolean {
    return this.response.writableNeedDrain;
  }

  async send(): Promise<void> {
    const { response, messages } = this;
    const unwatch = finished(response, { readable: false }, () => void messages.return(undefined));
    response.status(200).set(EVENTS);
    this.#write(EVENTS_COMMENT);
    const heartbeat = setInterval(() => this.#beat(), this.times.heartbeatMs).unref();
    try {
      await this.#sendMessages();
      // A client does not reconnect after `complete`. Otherwise it does.
      if (!this.#isCut) this.#write(COMPLETE);
    } finally {
      clearInterval(heartbeat);
      unwatch();
      response.end();
    }
  }

  /** Ends the stream without `complete`, so that the client reconnects. */
  cut(): void {
    this.#isCut = true;
    void this.messages.return(undefined);
    if (this.isStalled) this.destroy();
  }

  destroy(): void {
    this.response.destroy();
  }

  async #sendMessages(): Promise<void> {
    try {
      for await (const messages of this.messages) await this.#sendText(textOf(messages));
    } catch (error) {
      if (!(error instanceof RenderedErrors)) throw error;
      for (const messages of refusal(error)) await this.#sendText(textOf(messages));
    }
  }

  async #sendText(text: string): Promise<void> {
    const held = this.#held;
    this.#isSending = true;
    try {
      held.add(Buffer.byteLength(text), this.isChange);
      await writeInPieces(this.response, removed(bufferPieces(text)), held);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Too many bytes are unread: the client reconnects.
      this.cut();
    } finally {
      this.#isSending = false;
    }
  }

  #beat(): void {
    if (!this.isStalled && !this.#isSending) this.#write(EVENTS_COMMENT);
  }

  #write(text: string): void {
    if (!this.response.destroyed) this.response.write(text);
  }
}

function textOf(messages: readonly Message[]): string {
  const texts = messages.map(({ id, payload }) => {
    const next = `event: next\ndata: ${payload}\n\n`;
    return id === null ? next : `id: ${id}\n${next}`;
  });
  return texts.join('');
}
