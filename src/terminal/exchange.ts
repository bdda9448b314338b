import type { Request, Response } from 'express';

import type { ReadWork, Units, WriteWork } from '../database/work.js';
import { inviteBody, refuseEncodings } from '../http/body/body.js';
import { bodyPieces } from '../http/body/body-pieces.js';
import type { BodyRate } from '../http/body/least-rate.js';
import { isUnchanged } from '../http/conditional.js';
import { holdBytes, sendText, writeInPieces } from '../http/pieces.js';
import { HttpProblem } from '../http/problem.js';
import { onClosed, requestContextOf } from '../http/request-context.js';
import { endResponse } from '../http/send.js';
import { leaveNetwork } from '../http/server/connections.js';
import { leaveRequests } from '../http/server/requests.js';
import { DomainError } from '../platform/errors.js';
import { TerminalRefused, type TerminalClaim } from '../platform/terminal.js';
import type { StreamHead, TerminalAnswer, TerminalCall, TerminalExchange } from './route.js';

export interface ExchangeParts<T> {
  readonly request: Request;
  readonly response: Response;
  readonly call: TerminalCall;
  readonly claim: TerminalClaim;
  /** Whose request it is, looked up again. */
  readonly claimAgain: () => Promise<TerminalClaim>;
  readonly units: Units;
  readonly bodyRate: BodyRate;
  readonly admit: (work: ReadWork, claim: TerminalClaim) => Promise<T>;
  readonly onRefused: (claim: TerminalClaim, refused: TerminalRefused) => void;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

const RETRY_SECONDS = 5;

export class Exchange<T> implements TerminalExchange<T> {
  readonly #parts: ExchangeParts<T>;
  readonly #ended = new AbortController();

  constructor(parts: ExchangeParts<T>) {
    this.#parts = parts;
    const { response, stopping } = parts;
    const end = (): void => this.#ended.abort();
    stopping.addEventListener('abort', end);
    onClosed(response, () => {
      stopping.removeEventListener('abort', end);
      end();
    });
    if (stopping.aborted) end();
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
      this.#parts.units.read(claim.caller, async (work) => use(work, await this.#parts.admit(work, claim))),
    );
  }

  async write<V>(use: (work: WriteWork, terminal: T) => Promise<V>): Promise<V> {
    return await this.#admitted((claim) =>
      this.#parts.units.write(claim.caller, async (work) => use(work, await this.#parts.admit(work, claim))),
    );
  }

  async #admitted<V>(perform: (claim: TerminalClaim) => Promise<V>): Promise<V> {
    const claim = await this.#parts.claimAgain();
    try {
      return await perform(claim);
    } catch (error) {
      if (error instanceof TerminalRefused) this.#parts.onRefused(claim, error);
      throw error;
    }
  }

  occupy(kind: string, { ofTerminal, ofCompany }: { ofTerminal: number; ofCompany: number }): void {
    const { response, claim } = this.#parts;
    const { slots } = requestContextOf(response).limits;
    const company = String(claim.caller.companyId);
    const terminal = { kind: `${kind}_of_terminal`, of: `${company}/${claim.serialNumber}`, max: ofTerminal };
    const taken = slots.take(terminal, { kind: `${kind}_of_company`, of: company, max: ofCompany });
    if (typeof taken !== 'function') throw tooMany(taken.max, taken.kind === terminal.kind);
    leaveRequests(response);
    leaveNetwork(response.req.socket);
    onClosed(response, taken);
  }

  async *body(): AsyncGenerator<Uint8Array, undefined> {
    const { request, response, bodyRate } = this.#parts;
    refuseEncodings(request);
    inviteBody(request, response);
    yield* bodyPieces(request, bodyRate);
  }

  async send({ status = 200, type, content, etag }: TerminalAnswer & { status?: number }): Promise<void> {
    await sendAnswer(this.#parts, { status, type, content, ...(etag === undefined ? {} : { etag }) });
  }

  async stream(
    { status, headers, heldBytes }: StreamHead,
    pieces: AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    const { request, response } = this.#parts;
    holdBytes(response, heldBytes);
    response.status(status).set(headers);
    response.flushHeaders();
    if (request.method !== 'HEAD') await writeInPieces(response, pieces);
    endResponse(request, response);
  }
}

/** Sends a whole answer, or 304 to a request that names its ETag. */
export async function sendAnswer(
  { request, response }: { readonly request: Request; readonly response: Response },
  { status, type, content, etag }: TerminalAnswer & { readonly status: number },
): Promise<void> {
  if (response.closed) return;
  if (etag !== undefined) response.setHeader('ETag', etag);
  if (isUnchanged(request, etag)) {
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
