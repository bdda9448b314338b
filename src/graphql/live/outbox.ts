import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

import { bufferPieces, PIECE_BYTES } from '../../http/send.js';
import type { HeldBytes, WaitingBytes } from '../../platform/client-limits.js';
import { LIVE_LIMITS } from './limits.js';

interface Frame {
  readonly bytes: Buffer;
  /** True if it is the last one of its message. */
  readonly fin: boolean;
}

/**
 * Messages on their way to the client of one socket, in order. A long one is sent in fragments, each when the
 * client has taken the one before, so that pings and the idle rule work while a slow client reads it; short
 * ones are written together. Nothing is read from a client while more than `bufferedBytes` wait for it.
 */
export class Outbox {
  /** Resolves when the messages before are sent. */
  #last: Promise<void> = Promise.resolve();
  /** `sent` after each write, and when the socket is closed. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  #bytes = 0;
  /** Called when the socket is closed: ws does not call back for what it drops then. */
  #drop: (() => void) | null = null;

  /** `connection` is what `socket` writes to. */
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Pick<Duplex, 'cork' | 'uncork'>,
    private readonly waiting: WaitingBytes,
  ) {
    socket.once('close', () => {
      this.#bytes = 0;
      this.#drop?.();
      this.#events.emit('sent');
    });
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Resolves when all is sent or the socket is closed. Errors: those of `HeldBytes.add`; then nothing is sent. */
  async send(messages: readonly string[], companyId: number | null, isChange: boolean): Promise<void> {
    if (!this.#isOpen) return;
    const frames = messages.flatMap(framesOf);
    const bytes = frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
    const held = this.waiting.hold(companyId, bytes, isChange);
    this.#bytes += bytes;
    if (this.#bytes > LIVE_LIMITS.bufferedBytes) this.socket.pause();
    this.#last = this.#last.then(() => this.#sendAll(frames, held));
    await this.#last;
  }

  /** Resolves when at most `bytes` wait. Rejects when the signal is aborted. */
  async room(bytes: number, signal?: AbortSignal): Promise<void> {
    while (this.#bytes > bytes) await once(this.#events, 'sent', { ...(signal && { signal }) });
  }

  get #isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  async #sendAll(frames: Frame[], held: HeldBytes): Promise<void> {
    while (frames.length > 0 && this.#isOpen) {
      const bytes = await this.#write(frames);
      held.taken(bytes);
      this.#bytes = Math.max(0, this.#bytes - bytes);
      if (this.socket.isPaused && this.#bytes <= LIVE_LIMITS.bufferedBytes) this.socket.resume();
      this.#events.emit('sent');
    }
    held.release();
  }

  /** Writes as many frames as fit into one piece, at least one. Resolves to their bytes. */
  async #write(frames: Frame[]): Promise<number> {
    let bytes = 0;
    let count = 0;
    for (const frame of frames) {
      if (count > 0 && bytes + frame.bytes.length > PIECE_BYTES) break;
      bytes += frame.bytes.length;
      count += 1;
    }
    const written = frames.splice(0, count);
    await new Promise<void>((resolve) => {
      this.#drop = resolve;
      this.connection.cork();
      for (const [index, { bytes: data, fin }] of written.entries()) {
        this.socket.send(data, { fin, binary: false }, index === count - 1 ? () => resolve() : undefined);
      }
      this.connection.uncork();
    });
    this.#drop = null;
    return bytes;
  }
}

function framesOf(message: string): Frame[] {
  const pieces = bufferPieces(message);
  return pieces.map((bytes, index) => ({ bytes, fin: index === pieces.length - 1 }));
}
