import type { Response } from 'express';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { sendInPieces, writeBuffers } from '../../src/http/send.js';
import { PIECE_BYTES } from '../../src/platform/encoding/long-text.js';
import { WaitingBytes } from '../../src/platform/limits/waiting-bytes.js';
import { turnsOf } from '../support/turns.js';

/** The response to a client that takes each piece at once; to write one takes a millisecond. */
function fastClient(): Response {
  const writable = new Writable({
    highWaterMark: 1,
    write: (_piece, _encoding, taken) => {
      for (const end = performance.now() + 1; performance.now() < end;);
      process.nextTick(taken);
    },
  });
  return writable as unknown as Response;
}

const PIECES = 40;

describe('a long response to a fast client', () => {
  it('lets others run between its pieces', async () => {
    const bytes = Buffer.alloc(PIECES * PIECE_BYTES);
    const { turns } = await turnsOf(() => writeBuffers(fastClient(), [bytes]));
    expect(turns).toBeGreaterThan(PIECES / 4);
  });

  it('does so while its pieces are made, too', async () => {
    async function* pieces(): AsyncGenerator<string> {
      for (let n = 0; n < PIECES; n += 1) yield await Promise.resolve('x'.repeat(PIECE_BYTES));
    }
    const { turns } = await turnsOf(() => sendInPieces(fastClient(), pieces()));
    expect(turns).toBeGreaterThan(PIECES / 4);
  });
});

describe('a long response to a client that takes nothing yet', () => {
  it('is given to the connection up to 512 KiB, and counted until the client takes it', async () => {
    const written: (() => void)[] = [];
    const writable = new Writable({
      highWaterMark: 1,
      write: (_piece, _encoding, taken) => written.push(taken),
    });
    const waiting = new WaitingBytes();
    const held = waiting.hold(1, PIECES * PIECE_BYTES);
    const sent = writeBuffers(writable as unknown as Response, [Buffer.alloc(PIECES * PIECE_BYTES)], held);
    const isOver = await Promise.race([sent.then(() => true), setTimeout(100, false)]);
    expect(isOver).toBe(false);
    expect(writable.writableLength).toBe(512 * 1024 + PIECE_BYTES);
    expect(waiting.bytes).toBe(PIECES * PIECE_BYTES);
    for (let taken = written.shift(); taken !== undefined; taken = written.shift()) {
      taken();
      await setTimeout(1);
    }
    await sent;
    expect(waiting.bytes).toBe(0);
  });
});

describe('a client that leaves', () => {
  it('ends the response, also while it has not taken what was written', async () => {
    const response = fastClient();
    const never = new Writable({ highWaterMark: 1, write: () => setImmediate(() => response.destroy()) });
    Object.assign(response, { write: never.write.bind(never) });
    await writeBuffers(response, [Buffer.alloc(2 * PIECE_BYTES)]);
    expect(response.destroyed).toBe(true);
  });
});
