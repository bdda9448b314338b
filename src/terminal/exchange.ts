import type { Request, Response } from 'express';

import type { ReadWork, Units, WriteWork } from '../database/work.js';
import { bodyPieces } from '../http/body/body-pieces.js';
import { inviteBody, refuseLabels } from '../http/body/body.js';
import type { BodyRate } from '../http/body/least-rate.js';
import { isUnchanged } from '../http/headers.js';
import { holdBytes, sendText, writeInPieces } from '../http/pieces.js';
import { HttpProblem } from '../http/problem.js';
import { onClosed, requestContextOf } from '../http/request-context.js';
import { endResponse } from '../http/send.js';
import { leaveNetwork } from '../http/server/connections.js';
import { leaveRequests } from '../http/server/requests.js';
import { PIECE_BYTES } from '../platform/encoding/long-text.js';
import { DomainError } from '../platform/errors.js';
import type { Row } from '../platform/requests/rows.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import { lineAnswers, type Lines } from '../rest/lines/line-answers.js';
import { type RowStore, NDJSON_TYPE } from '../rest/lines/line-route.js';
import { admitted, type AdmitAll, type Batches, type BatchedCall } from './batches.js';
import type { OpenExchange, OpenExchanges } from './open-exchanges.js';
import { each, receiveRows } from './receive-rows.js';
import type {
  Places,
  RowLimits,
  StreamHead,
  TerminalAnswer,
  TerminalCall,
  TerminalExchange,
  TerminalReadBatch,
  TerminalWriteBatch,
} from './route.js';

export interface ExchangeParts<T> {
  readonly request: Request;
  readonly response: Response;
  readonly call: TerminalCall;
  readonly claim: TerminalClaim;
  /** Looks up the token of the request again. Errors: those of an invalid token. */
  readonly claimAgain: () => Promise<TerminalClaim>;
  readonly units: Units;
  readonly bodyRate: BodyRate;
  readonly admit: AdmitAll<T>;
  readonly batches: Batches<T>;
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Receives errors that no response shows. */
  readonly onError: (error: unknown, requestId: string) => void;
  readonly open: OpenExchanges;
}

const RETRY_SECONDS = 5;
/** Reason of every abort. Without a reason, each abort would create an error with a stack. */
const ENDED = 'ended';

const usesOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `use` on abort. Adds a single listener per signal: `addEventListener` compares each new listener with
 * all others, thousands while terminals wait.
 */
function onAbort(signal: AbortSignal, use: () => void): () => void {
  const known = usesOf.get(signal);
  const uses = known ?? new Set();
  if (known === undefined) {
    usesOf.set(signal, uses);
    signal.addEventListener('abort', () => uses.forEach((each) => each()), { once: true });
  }
  uses.add(use);
  return () => void uses.delete(use);
}

export class Exchange<T> implements TerminalExchange<T>, OpenExchange {
  readonly #parts: ExchangeParts<T>;
  readonly #ended = new AbortController();

  constructor(parts: ExchangeParts<T>) {
    this.#parts = parts;
    const { response, stopping, open } = parts;
    const abort = (): void => this.#ended.abort(ENDED);
    const leave = onAbort(stopping, abort);
    open.add(this);
    onClosed(response, () => {
      leave();
      open.remove(this);
      abort();
    });
    if (stopping.aborted) abort();
  }

  async claimAgain(): Promise<TerminalClaim> {
    return await this.#parts.claimAgain();
  }

  /**
   * Ends the request of a terminal that may no longer use the service. Cuts a response that has begun;
   * otherwise the next unit of work throws.
   */
  end(claim: TerminalClaim | null, refused: TerminalRefused | null): void {
    const { response, open, onRefused } = this.#parts;
    open.remove(this);
    if (claim !== null && refused !== null) onRefused(claim, refused);
    this.#ended.abort(ENDED);
    if (response.headersSent) response.destroy();
  }

  get method(): string {
    return this.#parts.request.method;
  }

  get query(): ReadonlyMap<string, string> {
    return this.#parts.call.query;
  }

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get isStopping(): boolean {
    return this.#parts.stopping.aborted;
  }

  value(placeholder: string): string {
    return this.#parts.call.value(placeholder);
  }

  header(name: string): string | undefined {
    return this.#parts.request.get(name);
  }

  async read<V>(use: (work: ReadWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#admitted((claim) =>
      this.#parts.units.read(claim.caller, async (work) =>
        use(work, await admitted(this.#parts.admit, work, claim)),
      ),
    );
  }

  async write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#admitted((claim) =>
      this.#parts.units.write(claim.caller, async (work) =>
        use(work, await admitted(this.#parts.admit, work, claim)),
      ),
    );
  }

  async readTogether<Input, Result extends object>(
    batch: TerminalReadBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    return await this.#admitted((claim) => this.#parts.batches.read(batch, this.#callOf(claim, input)));
  }

  async writeTogether<Input, Result extends object>(
    batch: TerminalWriteBatch<T, Input, Result>,
    input: Input,
  ): Promise<Result | null> {
    return await this.#admitted((claim) => this.#parts.batches.write(batch, this.#callOf(claim, input)));
  }

  #callOf<Input>(claim: TerminalClaim, input: Input): BatchedCall<Input> {
    return { claim, input, hasEnded: () => this.ended.aborted };
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

  async note(use: (work: WriteWork) => Promise<void>): Promise<void> {
    await noteIn(this.#parts, use);
  }

  occupy(kind: string, { ofTerminal, ofCompany, checksItself }: Places): void {
    const { response, claim, open } = this.#parts;
    const { slots } = requestContextOf(response).limits;
    const company = String(claim.caller.companyId);
    const terminal = { kind: `${kind}_of_terminal`, of: `${company}/${claim.serialNumber}`, max: ofTerminal };
    const taken = slots.take(terminal, { kind: `${kind}_of_company`, of: company, max: ofCompany });
    if (typeof taken !== 'function') throw tooMany(taken.max, taken.kind === terminal.kind);
    leaveRequests(response);
    leaveNetwork(response.req.socket);
    if (checksItself === true) open.remove(this);
    onClosed(response, taken);
  }

  async *body(): AsyncGenerator<Uint8Array, undefined> {
    const { request, response, bodyRate } = this.#parts;
    await refuseLabels(request, bodyRate);
    inviteBody(request, response);
    yield* bodyPieces(request, bodyRate);
  }

  async rows(limits: RowLimits): Promise<readonly Row[]> {
    return await receiveRows(this.header('content-type'), this.body(), limits);
  }

  async answerRows<Checked>(store: RowStore<Checked>, rows: readonly Row[]): Promise<void> {
    const { requestId } = requestContextOf(this.#parts.response);
    const { onError } = this.#parts;
    const write: Lines['write'] = (use) => this.write(use);
    const head = { status: 200, headers: { 'Content-Type': NDJSON_TYPE }, heldBytes: PIECE_BYTES };
    const lines = { rows: each(rows), write, requestId, onError };
    await this.stream(head, lineAnswers(store, lines));
  }

  async send(answer: Omit<TerminalAnswer, 'note'> & { status?: number }): Promise<void> {
    await sendAnswer(this.#parts, { status: 200, ...answer });
  }

  unchanged(headers: Readonly<Record<string, string>>): void {
    const { response } = this.#parts;
    if (!response.closed) response.status(304).set(headers).end();
  }

  hasTag(etag: string): boolean {
    return isUnchanged(this.#parts.request, etag);
  }

  async stream(
    { status, headers, heldBytes }: StreamHead,
    pieces: AsyncIterable<string | Uint8Array>,
  ): Promise<boolean> {
    const { request, response } = this.#parts;
    if (response.closed) return false;
    holdBytes(response, heldBytes);
    response.status(status).set(headers);
    response.flushHeaders();
    if (request.method !== 'HEAD') await writeInPieces(response, pieces);
    endResponse(request, response);
    return await isTaken(response);
  }
}

/** Resolves when the response is closed: true if it was sent completely, false if the client left. */
async function isTaken(response: Response): Promise<boolean> {
  if (!response.writableFinished && !response.closed) {
    await new Promise<void>((resolve) => {
      response.once('finish', resolve).once('close', resolve);
    });
  }
  return response.writableFinished;
}

/** See `TerminalExchange.note`. */
export async function noteIn(
  {
    units,
    claim,
    response,
    onError,
  }: Pick<ExchangeParts<unknown>, 'units' | 'claim' | 'response' | 'onError'>,
  use: (work: WriteWork) => Promise<void>,
): Promise<void> {
  try {
    await units.write(claim.caller, use);
  } catch (error) {
    if (!(error instanceof DomainError)) onError(error, requestContextOf(response).requestId);
  }
}

/** Sends a whole answer, or 304 to a request that names its ETag. */
export async function sendAnswer(
  { request, response }: { readonly request: Request; readonly response: Response },
  answer: Omit<TerminalAnswer, 'note'> & { readonly status: number },
): Promise<void> {
  if (response.closed) return;
  const { status, type, content, etag, headers = {} } = answer;
  response.set(headers);
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (answer.isUnchanged === true || isUnchanged(request, etag)) {
    response.status(304).end();
    return;
  }
  response.status(status).setHeader('Content-Type', type);
  await sendText(response, content);
}

function tooMany(max: number, isOfTerminal: boolean): Error {
  const message = 'Too many requests of this kind at the same time: at most';
  if (!isOfTerminal) {
    return new DomainError('busy', `${message} ${max} of one company.`, { retryAfter: RETRY_SECONDS });
  }
  const headers = { 'Retry-After': String(RETRY_SECONDS) };
  return new HttpProblem(429, 'rate_limited', `${message} ${max} of one terminal.`, headers);
}
