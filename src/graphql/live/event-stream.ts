import type { Response } from 'express';
import { once } from 'node:events';
import { finished } from 'node:stream';

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

interface StreamOptions {
  readonly times: LiveTimes;
  /** Counts bytes until they are sent; null where too many are unread. */
  readonly takeBytes: (bytes: number) => (() => void) | null;
}

export type Outcomes = AsyncGenerator<Outcome> | Generator<Outcome>;

/** A response of server-sent events, one for each outcome, as fast as the client reads. */
export class EventStream {
  #isCut = false;

  constructor(
    private readonly response: Response,
    private readonly options: StreamOptions,
    private readonly outcomes: Outcomes,
  ) {}

  /** Whether the client does not read what is buffered for it. */
  get isStalled(): boolean {
    return this.response.writableNeedDrain;
  }

  async send(): Promise<void> {
    const { response, outcomes } = this;
    const unwatch = finished(response, { readable: false }, () => void outcomes.return(undefined));
    response.status(200).set(HEADERS);
    this.#write(COMMENT);
    const heartbeat = setInterval(
      () => this.isStalled || this.#write(COMMENT),
      this.options.times.heartbeatMs,
    ).unref();
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
    const release = this.options.takeBytes(text.length);
    if (release === null) this.cut();
    else if (!this.#write(text)) await this.#drained();
    release?.();
  }

  /** False where the client has to read before more is written. */
  #write(text: string): boolean {
    return this.response.destroyed || this.response.write(text);
  }

  async #drained(): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    const timeout = setTimeout(() => this.destroy(), this.options.times.stalledMs);
    try {
      await Promise.race(['drain', 'close'].map((event) => once(this.response, event, { signal })));
    } finally {
      clearTimeout(timeout);
      stop.abort();
    }
  }
}
