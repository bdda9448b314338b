import type { Request, RequestHandler, Response } from 'express';

import type { ReadWork, Units, WriteWork } from '../database/work.js';
import * as bodies from '../http/body/body.js';
import { bearerToken, isUnchanged, onClosed, requestContextOf, utf8HeaderOf } from '../http/request.js';
import * as sending from '../http/send.js';
import * as admission from '../http/server/admission.js';
import { type Clock, SECOND, systemClock } from '../platform/clock.js';
import { gather } from '../platform/concurrency/event-loop.js';
import type { Row } from '../platform/encoding/json.js';
import { DomainError, isTokenError, TerminalRefused } from '../platform/errors.js';
import type { Origin } from '../platform/requests.js';
import type { TerminalClaim } from '../platform/terminal.js';
import { inputOf, type ReceivedInput } from '../rest/fields.js';
import { readRows, type RowLimits, type RowStore, storeAll } from '../rest/lines.js';
import type { RouteBase, Received } from '../rest/route.js';
import { createRouter } from '../rest/router.js';
import type { AnswerStream, TerminalAnswer } from './answer.js';
import { type AdmitAll, Batches, type PerformTogether, type Run } from './batches.js';

export const TERMINAL = '/terminal/v1';

/** Route of /terminal/v1. `T` is a terminal that may use the service. */
export interface TerminalRoute<T> extends RouteBase {
  readonly method: 'GET' | 'POST';
  readonly scope: 'terminals';
  /** Instead of the fields of one object, the body has rows: NDJSON, or one row as JSON. */
  readonly rows?: RowLimits;
  readonly takesForms?: true;
  answer(call: TerminalCall<T>): Promise<TerminalAnswer>;
}

interface TerminalOptions<T> {
  readonly units: Pick<Units, 'read' | 'write'>;
  readonly clock: Clock;
  readonly bodyMs: number;
  /** The terminal that a request speaks for. Errors: 400, 401, 403. */
  readonly claim: (
    given: { readonly token: string | undefined; readonly named: string | undefined },
    origin: Origin,
  ) => Promise<TerminalClaim>;
  readonly admit: AdmitAll<T>;
  /** Called for each request of a terminal that sends too many. */
  readonly onLimited: () => void;
  /** Called for each request of a terminal that `admit` has refused. */
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Called with errors that cannot be sent to the terminal any more. */
  readonly onError: (error: unknown, requestId?: string) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export function createTerminalRouter<T>(
  routes: readonly TerminalRoute<T>[],
  options: TerminalOptions<T>,
): RequestHandler {
  const limitTerminal = admission.createTerminalLimit(options.clock, options.onLimited);
  const retryAfterOf = admission.spreadRetries(systemClock);
  const parts = { ...options, batches: new Batches(options.admit), open: new Set<AbortController>() };
  // One listener for all: a signal compares each new listener with all others.
  options.stopping.addEventListener('abort', () => parts.open.forEach((call) => call.abort(ENDED)));
  return createRouter(TERMINAL, routes, async (received) => {
    const { response, route } = received;
    try {
      const claim = await claimOf(received, options);
      // Limits from here on are those of the terminal and its company: thousands of terminals may share one address.
      admission.leaveRequests(response);
      admission.enterCompany(response, claim.caller, 'terminals');
      limitTerminal(response, claim);
      const body = await readBody(received, options.bodyMs);
      const call = new TerminalCall(parts, received, claim, body);
      await call.send(await route.answer(call));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'busy') throw error;
      const retryAfter = Math.max(error.details.retryAfter ?? 0, retryAfterOf());
      throw new DomainError('busy', error.message, { ...error.details, retryAfter });
    }
  });
}

type ReceivedCall<T> = Received<TerminalRoute<T>>;

/** Errors: those of an invalid token. */
async function claimOf<T>({ request, response }: ReceivedCall<T>, { claim }: TerminalOptions<T>) {
  const { ip, requestId } = requestContextOf(response);
  const given = { token: bearerToken(request), named: utf8HeaderOf(request, 'X-Serial-Number') };
  return await claim(given, { channel: 'api', ip, requestId });
}

interface ReceivedBody extends ReceivedInput {
  readonly rows: readonly Row[];
  readonly bytes: Buffer;
}

const NO_BODY: ReceivedBody = { input: {}, ignored: [], rows: [], bytes: Buffer.alloc(0) };

/** Errors: 400, 408, 413, 415. */
async function readBody<T>({ request, response, route }: ReceivedCall<T>, bodyMs: number) {
  if (route.bytes !== undefined) {
    bodies.inviteBody(request, response);
    return { ...NO_BODY, bytes: await bodies.readBytes(request, { ...route.bytes, bodyMs }) };
  }
  if (route.body === undefined) return NO_BODY;
  bodies.inviteBody(request, response);
  if (route.rows !== undefined) return { ...NO_BODY, rows: await readRows(request, route.rows, bodyMs) };
  const body = await bodies.readBody(request, { bodyMs, maxBytes: bodies.MAX_BODY_BYTES });
  await gather();
  if (body.isForm && route.takesForms !== true) throw bodies.notAnObject();
  return { ...NO_BODY, ...inputOf(route.body, body) };
}

interface CallParts<T> extends TerminalOptions<T> {
  readonly batches: Batches<T>;
  /** The calls that are being answered, perhaps for hours. */
  readonly open: Set<AbortController>;
}

/** Reason of every abort. Without a reason, each abort would create an error with a stack. */
const ENDED = 'ended';

/** A disabled device or a revoked token ends what is open within 5 seconds, on every node. */
export const CHECK_MS = 2 * SECOND;

/** Request of a terminal, whose route opens the units of work. Each of them checks the token and the terminal again. */
export class TerminalCall<T> {
  readonly request: Request;
  /** Parameters that a route does not use are ignored. */
  readonly query: ReadonlyMap<string, string>;
  /** Values in the path by the name of their placeholder, decoded. They were not checked. */
  readonly values: ReadonlyMap<string, string>;
  readonly #ended = new AbortController();
  #checksItself = false;

  constructor(
    private readonly parts: CallParts<T>,
    private readonly received: ReceivedCall<T>,
    private readonly claim: TerminalClaim,
    readonly body: ReceivedBody,
  ) {
    ({ request: this.request, query: this.query, values: this.values } = received);
    parts.open.add(this.#ended);
    if (parts.stopping.aborted) this.#ended.abort(ENDED);
    onClosed(received.response, () => {
      parts.open.delete(this.#ended);
      this.#ended.abort(ENDED);
    });
  }

  get companyId(): number {
    return this.claim.caller.companyId;
  }

  /** Aborted when the client leaves, the server stops, or the terminal may no longer use the service. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Reads in a unit of work. Errors: those of the token and of `admit`. */
  async read<V>(use: (work: ReadWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#inUnit(this.parts.units.read, use);
  }

  /** Writes in a unit of work. Errors: those of the token and of `admit`. */
  async write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#inUnit(this.parts.units.write, use);
  }

  async #inUnit<Work extends ReadWork, V>(run: Run<Work>, use: (work: Work, terminal: T) => Promise<V>) {
    return await this.#admitted((claim) =>
      run(claim.caller, async (work) => {
        const [found] = await this.parts.admit(work, [claim]);
        if (found === undefined) throw new Error('Nothing is known of the terminal.');
        if ('refused' in found) throw found.refused;
        return await use(work, found.terminal);
      }),
    );
  }

  /** Reads in a batch with other terminals. Null if the client left before. Errors: those of `read` and of this call. */
  readTogether<Input, Result extends object>(
    perform: PerformTogether<T, ReadWork, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    return this.#together(this.parts.units.read, perform, input);
  }

  /** Writes in a batch with other terminals. Null and errors as for `readTogether`. */
  writeTogether<Input, Result extends object>(
    perform: PerformTogether<T, WriteWork, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    return this.#together(this.parts.units.write, perform, input);
  }

  async #together<Work extends ReadWork, Input, Result extends object>(
    run: Run<Work>,
    perform: PerformTogether<T, Work, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    const hasLeft = (): boolean => this.received.response.closed;
    return await this.#admitted((claim) => this.parts.batches.add(run, perform, { claim, input, hasLeft }));
  }

  async #admitted<V>(perform: (claim: TerminalClaim) => Promise<V>): Promise<V> {
    const claim = await claimOf(this.received, this.parts);
    try {
      return await perform(claim);
    } catch (error) {
      if (error instanceof TerminalRefused) this.parts.onRefused(claim, error);
      throw error;
    }
  }

  /** Stores the rows of the body. The answer has a line for each that `store.shows`, and the totals. Errors: unless all were tried. */
  async storeRows<Checked>(store: RowStore<Checked>): Promise<TerminalAnswer> {
    return await storeAll(store, { rows: this.body.rows, write: (use) => this.write(use) });
  }

  /** Stores a side effect without checking the terminal again, for example how it ended. Resolves even if that fails. */
  async note(use: (work: WriteWork) => Promise<void>): Promise<void> {
    const { units, onError } = this.parts;
    try {
      await units.write(this.claim.caller, use);
    } catch (error) {
      if (!(error instanceof DomainError)) onError(error, requestContextOf(this.received.response).requestId);
    }
  }

  /** Counts the request as waiting, not as in progress; its route ends it if its terminal is refused. Errors: 429, `busy`. */
  wait(limits: admission.WaitingLimits): void {
    admission.enterWaiting(this.received.response, this.claim, limits);
    this.#checksItself = true;
  }

  /** Call once, with the answer of the route. Errors before the response begins become the response; later ones cut it. */
  async send({ status = 200, headers = {}, etag, type, body, stream }: TerminalAnswer): Promise<void> {
    const { request, response } = this.received;
    if (stream !== undefined) {
      await this.#stream(stream, () => response.status(status).set(headers));
      return;
    }
    if (response.closed) return;
    response.set(headers);
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (status === 304 || isUnchanged(request, etag)) {
      response.status(304).end();
      return;
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.status(status).setHeader('Content-Type', type ?? sending.JSON_TYPE);
    await sending.sendText(response, text, request.method === 'POST');
  }

  async #stream({ pieces, heldBytes, sent }: AnswerStream, begin: () => Response): Promise<void> {
    const { request, response } = this.received;
    const timer = this.#checksItself ? undefined : setInterval(() => void this.#check(), CHECK_MS).unref();
    let isTaken = false;
    try {
      if (response.closed) return;
      sending.holdBytes(response, heldBytes);
      begin().flushHeaders();
      if (request.method !== 'HEAD') await sending.writeInPieces(response, pieces);
      sending.endResponse(request, response);
      isTaken = await sending.isTaken(response);
    } finally {
      clearInterval(timer);
      await sent(isTaken);
    }
  }

  /** Cuts the response if its terminal may no longer use the service. After other errors, the next check tries again. */
  async #check(): Promise<void> {
    try {
      await this.readTogether(stillAdmitted, null);
    } catch (error) {
      const { response } = this.received;
      if (error instanceof TerminalRefused || isTokenError(error)) response.destroy();
      else if (!(error instanceof DomainError))
        this.parts.onError(error, requestContextOf(response).requestId);
    }
  }
}

/** Performs checks together: being admitted is all that they ask for. */
const stillAdmitted = (_work: ReadWork, calls: readonly unknown[]): Promise<readonly object[]> =>
  Promise.resolve(calls.map(() => ({})));
