import type { Response } from 'express';
import { finished } from 'node:stream';

import { bufferPieces, holdBytes, writeBuffers } from '../../http/pieces.js';
import { DomainError } from '../../platform/errors.js';
import type { HeldBytes } from '../../platform/limits/waiting-bytes.js';
import { RenderedErrors } from '../execution/mask.js';
import type { LiveTimes } from './limits.js';
import type { Outcome } from './operation.js';

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

/** A response of server-sent events, one for each outcome, as fast as the client reads. */
export class EventStream {
  #isCut = false;
  #isSendingEvent = false;
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
      // After `complete` a client does not reconnect; without it, it does.
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
      for await (const { id, payload } of this.outcomes) await this.#sendEvent(payload, id);
    } catch (error) {
      if (!(error instanceof RenderedErrors)) throw error;
      await this.#sendEvent({ errors: error.errors }, null);
    }
  }

  async #sendEvent(payload: object, id: number | null): Promise<void> {
    const idLine = id === null ? '' : `id: ${id}\n`;
    const text = `${idLine}event: next\ndata: ${JSON.stringify(payload)}\n\n`;
    const held = this.#held;
    this.#isSendingEvent = true;
    try {
      held.resize(Buffer.byteLength(text));
      await writeBuffers(this.response, bufferPieces(text), held);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // Too many bytes are unread: the client reconnects.
      this.cut();
    } finally {
      this.#isSendingEvent = false;
    }
  }

  #beat(): void {
    if (!this.isStalled && !this.#isSendingEvent) this.#write(COMMENT);
  }

  #write(text: string): void {
    if (!this.response.destroyed) this.response.write(text);
  }
}
