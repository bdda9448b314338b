import type { Response } from 'express';
import { finished } from 'node:stream';

import { holdBytes, writeBuffers } from '../../http/pieces.js';
import { bufferPieces } from '../../platform/encoding/long-text.js';
import { DomainError } from '../../platform/errors.js';
import type { HeldBytes } from '../../platform/limits/waiting-bytes.js';
import { RenderedErrors } from '../execution/mask.js';
import type { LiveTimes } from './limits.js';
import type { Outcome } from './operation/operation.js';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store',
  // Turns off buffering in nginx, which would hold events back.
  'X-Accel-Buffering': 'no',
};
/** Some browsers report a stream as open only after its first bytes. */
const COMMENT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

export type Outcomes = AsyncGenerator<Outcome> | Generator<Outcome>;

/** A response of server-sent events, one for each response or event, as fast as the client reads. */
export class EventStream {
  #isCut = false;
  #isSending = false;
  readonly #held: HeldBytes;

  constructor(
    private readonly response: Response,
    private readonly times: Pick<LiveTimes, 'heartbeatMs'>,
    private readonly outcomes: Outcomes,
  ) {
    this.#held = holdBytes(response);
  }

  /** Whether the client does not read what is buffered for it. */
  get isStalled(): boolean {
    return this.response.writableNeedDrain;
  }

  async send(): Promise<void> {
    const { response, outcomes } = this;
    const unwatch = finished(response, { readable: false }, () => void outcomes.return(undefined));
    response.status(200).set(HEADERS);
    this.#write(COMMENT);
    const heartbeat = setInterval(() => this.#beat(), this.times.heartbeatMs).unref();
    try {
      await this.#sendOutcomes();
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
    void this.outcomes.return(undefined);
    if (this.isStalled) this.destroy();
  }

  /** Drops what is buffered for the client. */
  destroy(): void {
    this.response.destroy();
  }

  async #sendOutcomes(): Promise<void> {
    try {
      for await (const outcome of this.outcomes) await this.#sendText(textOf(outcome));
    } catch (error) {
      if (!(error instanceof RenderedErrors)) throw error;
      await this.#sendText(textOf({ response: JSON.stringify({ errors: error.errors }) }));
    }
  }

  async #sendText(text: string): Promise<void> {
    const held = this.#held;
    this.#isSending = true;
    try {
      held.resize(Buffer.byteLength(text));
      await writeBuffers(this.response, bufferPieces(text), held);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Too many bytes are unread: the client reconnects.
      this.cut();
    } finally {
      this.#isSending = false;
    }
  }

  #beat(): void {
    if (!this.isStalled && !this.#isSending) this.#write(COMMENT);
  }

  #write(text: string): void {
    if (!this.response.destroyed) this.response.write(text);
  }
}

function textOf(outcome: Outcome): string {
  if ('response' in outcome) return next(outcome.response);
  return outcome.events.map(({ id, payload }) => `id: ${id}\n${next(payload)}`).join('');
}

const next = (payload: string): string => `event: next\ndata: ${payload}\n\n`;
