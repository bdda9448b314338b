import type { Response } from 'express';
import { once } from 'node:events';
import { finished } from 'node:stream';

import type { LiveTimes } from './limits.js';
import type { Outcome } from './operation.js';
import { Told } from './rendered-errors.js';

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store',
  // Proxies that gather an answer before they hand it on would keep it for ever.
  'X-Accel-Buffering': 'no',
};
/** Some browsers take a stream for open only when something came. */
const COMMENT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

interface Pace {
  readonly times: LiveTimes;
  /** Room for so many bytes until they are taken; null where too much waits. */
  readonly room: (bytes: number) => (() => void) | null;
}

/** An answer that goes on: server-sent events, one for each outcome, as fast as the client takes them. */
export class EventStream {
  #cut = false;

  constructor(
    private readonly response: Response,
    private readonly pace: Pace,
    private readonly outcomes: AsyncGenerator<Outcome>,
  ) {}

  /** Whether something waits for a client that does not take it. */
  get isStalled(): boolean {
    return this.response.writableNeedDrain;
  }

  async send(): Promise<void> {
    const { response, outcomes } = this;
    const unwatch = finished(response, { readable: false }, () => void outcomes.return(undefined));
    response.status(200).set(HEADERS);
    this.#put(COMMENT);
    const heart = setInterval(
      () => this.isStalled || this.#put(COMMENT),
      this.pace.times.heartbeatMs,
    ).unref();
    try {
      await this.#sendAll();
      // A client that is told so does not come back; one that is cut off does.
      if (!this.#cut) this.#put(COMPLETE);
    } finally {
      clearInterval(heart);
      unwatch();
      response.end();
    }
  }

  /** Ends it in the middle: its client is expected to come back. */
  cut(): void {
    this.#cut = true;
    void this.outcomes.return(undefined);
    if (this.isStalled) this.destroy();
  }

  /** Nothing of what waits for the client goes out any more. */
  destroy(): void {
    this.response.destroy();
  }

  async #sendAll(): Promise<void> {
    try {
      for await (const { id, payload } of this.outcomes) await this.#write(payload, id);
    } catch (error) {
      if (!(error instanceof Told)) throw error;
      await this.#write({ errors: error.errors }, null);
    }
  }

  async #write(payload: object, id: number | null): Promise<void> {
    const place = id === null ? '' : `id: ${id}\n`;
    const text = `${place}event: next\ndata: ${JSON.stringify(payload)}\n\n`;
    const letGo = this.pace.room(text.length);
    if (letGo === null) this.cut();
    else if (!this.#put(text)) await this.#drained();
    letGo?.();
  }

  /** False where the client has to take something first. */
  #put(text: string): boolean {
    return this.response.destroyed || this.response.write(text);
  }

  async #drained(): Promise<void> {
    const stop = new AbortController();
    const { signal } = stop;
    const late = setTimeout(() => this.destroy(), this.pace.times.stalledMs);
    try {
      await Promise.race(['drain', 'close'].map((event) => once(this.response, event, { signal })));
    } finally {
      clearTimeout(late);
      stop.abort();
    }
  }
}
