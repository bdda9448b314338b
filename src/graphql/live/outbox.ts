import { EventEmitter, once } from 'node:events';

import { bufferPieces } from '../../http/send.js';
import type { HeldBytes, WaitingBytes } from '../../platform/client-limits.js';

/** A message, or a part of about `PIECE_BYTES` of a long one. */
export interface Piece {
  readonly bytes: Buffer;
  /** True if it is the last one of its message. */
  readonly isLast: boolean;
}

/** Writes pieces together. Resolves when the system has taken them: to false if the connection is closed. */
export type WritePieces = (pieces: readonly Piece[]) => Promise<boolean>;

/**
 * Messages on their way to one client, in order. A long one is sent in pieces, each when the client has taken the one
 * before, so that other messages, pings and the idle rule work while a slow client reads it.
 */
export class Outbox {
  /** Resolves when the messages before are sent. */
  #last: Promise<void> = Promise.resolve();
  /** `sent` after each write. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  #bytes = 0;

  constructor(
    private readonly write: WritePieces,
    private readonly waiting: WaitingBytes,
  ) {}

  /** Bytes that the client has not taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Messages that are sent together are short. Resolves when all are sent or the connection is closed. Errors: those of
   * `HeldBytes.add`; then nothing is sent.
   */
  async send(messages: readonly string[], companyId: number | null, isChange = false): Promise<void> {
    const pieces = messages.flatMap(piecesOf);
    const writes = messages.length === 1 ? pieces.map((piece) => [piece]) : [pieces];
    const bytes = bytesOf(pieces);
    const held = this.waiting.hold(companyId, bytes, isChange);
    this.#bytes += bytes;
    this.#last = this.#last.then(() => this.#writeAll(writes, held));
    await this.#last;
  }

  /** Resolves when at most `bytes` wait. Rejects when the signal is aborted. */
  async room(bytes: number, signal?: AbortSignal): Promise<void> {
    while (this.#bytes > bytes) await once(this.#events, 'sent', { ...(signal && { signal }) });
  }

  async #writeAll(writes: Piece[][], held: HeldBytes): Promise<void> {
    for (let pieces = writes.shift(); pieces !== undefined; pieces = writes.shift()) {
      if (!(await this.write(pieces))) break;
      this.#taken(held, bytesOf(pieces));
    }
    this.#taken(held, held.bytes);
  }

  #taken(held: HeldBytes, bytes: number): void {
    held.taken(bytes);
    this.#bytes -= bytes;
    this.#events.emit('sent');
  }
}

const bytesOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

function piecesOf(message: string): Piece[] {
  const pieces = bufferPieces(message);
  return pieces.map((bytes, index) => ({ bytes, isLast: index === pieces.length - 1 }));
}
