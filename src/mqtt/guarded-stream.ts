import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

import { PacketGuard } from './packet-guard.js';

type Done = (error?: Error | null) => void;

/** A socket whose incoming packets are kept small (`PacketGuard`). */
export class GuardedStream extends Duplex {
  readonly #guard = new PacketGuard();
  readonly #connection: Socket;

  constructor(socket: Socket) {
    super();
    this.#connection = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#connection.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#connection.write(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.#connection.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.#connection.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#connection.destroy();
    done(error);
  }

  #take(chunk: Buffer): void {
    try {
      for (const piece of this.#guard.take(chunk)) {
        if (!this.push(piece)) this.#connection.pause();
      }
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
