import { EventEmitter, once } from 'node:events';
import type { WebSocket } from 'ws';

import { bufferPieces } from '../../http/pieces.js';
import type { HeldBytes, WaitingBytes } from '../../platform/limits/waiting-bytes.js';
import { LIVE_LIMITS } from './limits.js';

interface Message {
  readonly pieces: Buffer[];
  readonly held: HeldBytes;
  readonly sent: PromiseWithResolvers<void>;
}

/**
 * Messages on their way to the client of one socket, in order. A long one is sent in fragments, each when the client
 * has taken the one before, so that pings and the idle rule work while a slow client reads it. Nothing is read from a
 * client while more than `bufferedBytes` wait for it.
 */
export class Outbox {
  readonly #messages = new Set<Message>();
  /** `sent` after each fragment, and when the socket is closed. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  #bytes = 0;

  constructor(
    private readonly socket: WebSocket,
    private readonly waiting: WaitingBytes,
  ) {
    socket.once('close', () => {
      for (const { held } of this.#messages) held.release();
      this.#bytes = 0;
      this.#events.emit('sent');
    });
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /**
   * Resolves when the operating system has taken the text, or the socket is closed. `companyId` is null for a client
   * that is not authenticated. Errors: those of `WaitingBytes.hold`.
   */
  async send(text: string, companyId: number | null): Promise<void> {
    if (!this.#isOpen) return;
    const bytes = Buffer.byteLength(text);
    const held = this.waiting.hold(companyId, bytes);
    const sent: Message['sent'] = Promise.withResolvers();
    const message = { pieces: bufferPieces(text), held, sent };
    const isNext = this.#messages.size === 0;
    this.#messages.add(message);
    this.#bytes += bytes;
    if (this.#bytes > LIVE_LIMITS.bufferedBytes) this.socket.pause();
    if (isNext) void this.#sendAll();
    await sent.promise;
  }

  /** Resolves when at most `bytes` wait. Rejects when the signal is aborted. */
  async room(bytes: number, signal?: AbortSignal): Promise<void> {
    while (this.#bytes > bytes) await once(this.#events, 'sent', { ...(signal && { signal }) });
  }

  get #isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** The message that is first when this is called, and those that are added meanwhile. */
  async #sendAll(): Promise<void> {
    for (const message of this.#messages) {
      const { pieces, held, sent } = message;
      for (let piece = pieces.shift(); piece !== undefined && this.#isOpen; piece = pieces.shift()) {
        await this.#sendFragment(piece, pieces.length === 0);
        held.taken(piece.length);
        this.#bytes = Math.max(0, this.#bytes - piece.length);
        if (this.socket.isPaused && this.#bytes <= LIVE_LIMITS.bufferedBytes) this.socket.resume();
        this.#events.emit('sent');
      }
      held.release();
      this.#messages.delete(message);
      sent.resolve();
    }
  }

  async #sendFragment(piece: Buffer, fin: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      // ws does not call back for what a closed socket drops.
      this.socket.once('close', resolve);
      this.socket.send(piece, { fin, binary: false }, () => {
        this.socket.off('close', resolve);
        resolve();
      });
    });
  }
}
