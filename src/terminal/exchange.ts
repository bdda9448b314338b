import type { ReadWork, Units, WriteWork } from '../database/work.js';
import * as bodies from '../http/body/body.js';
import { bearerToken, isUnchanged, onClosed, requestContextOf } from '../http/request.js';
import * as sending from '../http/send.js';
import { leaveRequests } from '../http/server/admission.js';
import { leaveNetwork } from '../http/server/connections.js';
import { gather } from '../platform/concurrency/event-loop.js';
import { ndjsonLine, type Row } from '../platform/encoding/json.js';
import { DomainError, TerminalRefused } from '../platform/errors.js';
import type { TerminalClaim } from '../platform/terminal.js';
import { inputOf, type ReceivedInput } from '../rest/fields.js';
import * as lines from '../rest/lines.js';
import type { RouteBase, Received } from '../rest/route.js';
import * as admission from './admission.js';

/** Route of /terminal/v1. `T` is a terminal that may use the service. */
export interface TerminalRoute<T> extends RouteBase {
  readonly method: 'GET' | 'POST';
  readonly scope: 'terminals';
  /** Resolves when the response is sent. Errors before that become the response; later errors cut it. */
  exchange(exchange: TerminalExchange<T>): Promise<unknown>;
}

export interface ExchangeOptions<T> {
  readonly units: Pick<Units, 'read' | 'write'>;
  readonly bodyMs: number;
  readonly admit: admission.AdmitAll<T>;
  /** Called for each request of a terminal that `admit` has refused. */
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Gets errors that no response shows. */
  readonly onError: (error: unknown, requestId?: string) => void;
}

interface ExchangeParts<T> extends ExchangeOptions<T> {
  readonly received: Received<TerminalRoute<T>>;
  readonly claim: TerminalClaim;
  /** Looks up the token of the request again. Errors: those of an invalid token. */
  readonly claimAgain: () => Promise<TerminalClaim>;
  readonly batches: admission.Batches<T>;
  readonly open: admission.OpenRequests;
}

/** Reason of every abort. Without a reason, each abort would create an error with a stack. */
const ENDED = 'ended';

/** Request of a terminal, whose route opens the units of work. Each of them checks the token and the terminal again. */
export class TerminalExchange<T> implements admission.OpenExchange {
  readonly #parts: ExchangeParts<T>;
  readonly claimAgain: ExchangeParts<T>['claimAgain'];
  readonly #ended = new AbortController();
  /** Counts the response to a change, from before the change on. */

  constructor(parts: ExchangeParts<T>) {
    this.#parts = parts;
    this.claimAgain = parts.claimAgain;
    const { received, open } = parts;
    open.add(this);
    onClosed(received.response, () => {
      open.remove(this);
      this.abort();
    });
  }

  abort(): void {
    this.#ended.abort(ENDED);
  }

  /** For a terminal that may no longer use the service. Cuts a response that has begun, or the next unit throws. */
  end(): void {
    const { received, open } = this.#parts;
    open.remove(this);
    this.abort();
    if (received.response.headersSent) received.response.destroy();
  }

  /** HTTP method. With HEAD, the response ends after its headers and the pieces of `stream` are not read. */
  get method(): string {
    return this.#parts.received.request.method;
  }

  /** Parameters that a route does not use are ignored. */
  get query(): ReadonlyMap<string, string> {
    return this.#parts.received.query;
  }

  /** Decoded value of a placeholder. Not validated: may contain any characters. */
  value(placeholder: string): string {
    return this.#parts.received.values.get(placeholder) ?? '';
  }

  header(name: string): string | undefined {
    return this.#parts.received.request.get(name);
  }

  /** Text of the token of the request. */
  get token(): string {
    return bearerToken(this.#parts.received.request) ?? '';
  }

  /** True if the request has this ETag, or `*`, in If-None-Match. */
  hasTag(etag: string): boolean {
    return isUnchanged(this.#parts.received.request, etag);
  }

  /** Aborted when the client leaves, the server stops, or the terminal may no longer use the service. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Reads in a unit of work. Errors: those of the token and of `admit`. */
  async read<V>(use: (work: ReadWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#inUnit(this.#parts.units.read, use);
  }

  /** Writes in a unit of work. Errors: those of the token and of `admit`. */
  async write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#inUnit(this.#parts.units.write, use);
  }

  async #inUnit<Work extends ReadWork, V>(
    run: admission.Run<Work>,
    use: (work: Work, terminal: T) => Promise<V>,
  ) {
    return await this.#admitted((claim) =>
      run(claim.caller, async (work) => {
        const [found] = await this.#parts.admit(work, [claim]);
        if (found === undefined) throw new Error('Nothing is known of the terminal.');
        if ('refused' in found) throw found.refused;
        return await use(work, found.terminal);
      }),
    );
  }

  /** Reads in a batch with other terminals. Null if the client left before. Errors: those of `read` and of this call. */
  async readTogether<Input, Result extends object>(
    perform: admission.PerformTogether<T, ReadWork, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    const { units, batches } = this.#parts;
    return await this.#admitted((claim) => batches.add(units.read, perform, this.#callOf(claim, input)));
  }

  /** Writes in a batch with other terminals. Null and errors as for `readTogether`. */
  async writeTogether<Input, Result extends object>(
    perform: admission.PerformTogether<T, WriteWork, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    const { units, batches } = this.#parts;
    return await this.#admitted((claim) => batches.add(units.write, perform, this.#callOf(claim, input)));
  }

  #callOf<Input>(claim: TerminalClaim, input: Input): admission.GatheredCall<Input> {
    return { claim, input, hasLeft: () => this.#parts.received.response.closed };
  }

  async #admitted<V>(perform: (claim: TerminalClaim) => Promise<V>): Promise<V> {
    const claim = await this.claimAgain();
    try {
      return await perform(claim);
    } catch (error) {
      if (error instanceof TerminalRefused) this.#parts.onRefused(claim, error);
      throw error;
    }
  }

  /** Stores a side effect without checking the terminal again, for example how it ended. Resolves even if that fails. */
  async note(use: (work: WriteWork) => Promise<void>): Promise<void> {
    const { units, claim, received, onError } = this.#parts;
    try {
      await units.write(claim.caller, use);
    } catch (error) {
      if (!(error instanceof DomainError)) onError(error, requestContextOf(received.response).requestId);
    }
  }

  /** Counts the request as waiting, not as in progress; its route ends it if its terminal is refused. Errors: 429, `busy`. */
  wait(limits: admission.WaitingLimits): void {
    const { received, claim, open } = this.#parts;
    const { response } = received;
    const leave = admission.enterWaiting(response, claim, limits);
    leaveRequests(response);
    leaveNetwork(response.req.socket);
    open.doNotCheck(this);
    onClosed(response, leave);
  }

  /** The bytes of the body, as they arrive. Errors: 400, 408, 415. */
  async *body(): AsyncGenerator<Uint8Array, undefined> {
    const { received, bodyMs } = this.#parts;
    await bodies.refuseLabels(received.request, bodyMs);
    bodies.inviteBody(received.request, received.response);
    yield* bodies.bodyPieces(received.request, { bodyMs });
  }

  /** Fields of the body by the model, and names of others. Errors: 400, 408, 413, 415, `busy`. */
  async input(forms: 'accepted' | 'refused'): Promise<ReceivedInput> {
    const { received, bodyMs } = this.#parts;
    const { request, response, route } = received;
    if (route.body === undefined) throw new Error(`The route ${route.path} has no model of its body`);
    bodies.inviteBody(request, response);
    const body = await bodies.readBody(request, { bodyMs, maxBytes: bodies.MAX_BODY_BYTES });
    await gather();
    if (body.isForm && forms === 'refused') throw bodies.notAnObject();
    return inputOf(route.body, body);
  }

  /** Rows of the whole body: NDJSON, or one JSON object. Errors: 400, 408, 413 too many bytes or rows, 415. */
  async rows(limits: lines.RowLimits): Promise<readonly Row[]> {
    return await lines.readRows(this.#parts.received.request, this.body(), limits);
  }

  /** Stores rows like `write`. Then answers with a line per row that `store.shows` accepts, and the totals. Errors: unless all were tried. */
  async answerRows<Checked>(store: lines.RowStore<Checked>, rows: readonly Row[]): Promise<void> {
    let content = '';
    const { totals, error } = await lines.storeLines(
      store,
      { rows, write: (use) => this.write(use) },
      (text) => (content += text),
    );
    if (error !== null) throw error;
    content += ndjsonLine(totals);
    await this.send({ status: lines.statusOf(totals), type: lines.NDJSON_TYPE, content });
  }

  /** Sends the whole answer, or 304 if the request has its ETag. Without `etag`, the response has no ETag. */
  async send({ status = 200, type, content, etag, headers = {} }: admission.TerminalAnswer): Promise<void> {
    const { request, response } = this.#parts.received;
    if (response.closed) return;
    response.set(headers);
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (isUnchanged(request, etag)) {
      response.status(304).end();
      return;
    }
    response.status(status).setHeader('Content-Type', type);
    await sending.sendText(response, content, request.method === 'POST');
  }

  async sendJson(body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.send({ type: sending.JSON_TYPE, content: JSON.stringify(body), headers });
  }

  /** Sends 304 with these headers. */
  unchanged(headers: Readonly<Record<string, string>>): void {
    const { response } = this.#parts.received;
    if (!response.closed) response.status(304).set(headers).end();
  }

  /** Sends each piece after the client has received the one before. Resolves to whether all were sent. */
  async stream(
    { status, headers, heldBytes }: admission.StreamHead,
    /** Must end when `ended` is aborted. */
    pieces: AsyncIterable<string | Uint8Array>,
  ): Promise<boolean> {
    const { request, response } = this.#parts.received;
    if (response.closed) return false;
    sending.holdBytes(response, heldBytes);
    response.status(status).set(headers);
    response.flushHeaders();
    if (request.method !== 'HEAD') await sending.writeInPieces(response, pieces);
    sending.endResponse(request, response);
    return await sending.isTaken(response);
  }
}
