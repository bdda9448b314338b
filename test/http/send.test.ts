import type { Response } from 'express';
import { Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { endAfterTurn, sendInPieces, writeInPieces, PIECE_BYTES } from '../../src/http/send.js';
import { WaitingBytes } from '../../src/platform/client-limits.js';
import { turnsOf } from '../support/turns.js';

function responseOf(name: string, ended: string[]): Response {
  const response = {
    destroyed: false,
    writableEnded: false,
    end: (body: string) => ended.push(`${name} ${body}`),
  };
  return response as unknown as Response;
}

/** Until the end of the turn after this one. */
const turns = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

it('responses of one turn of the event loop are ended at its end, in their order', async () => {
  await turns();
  const ended: string[] = [];
  for (const name of ['first', 'second', 'third']) endAfterTurn(responseOf(name, ended), 'body', 'latin1');
  expect(ended).toEqual([]);
  await turns();
  expect(ended).toEqual(['first body', 'second body', 'third body']);
});

it('a response whose client has left meanwhile is not ended', async () => {
  const ended: string[] = [];
  const left = responseOf('left', ended);
  endAfterTurn(left, 'body', 'latin1');
  endAfterTurn(responseOf('stayed', ended), 'body', 'latin1');
  Object.assign(left, { destroyed: true });
  await turns();
  expect(ended).toEqual(['stayed body']);
});

it('a response that is complete when a turn has taken long is ended at once', async () => {
  await turns();
  const ended: string[] = [];
  endAfterTurn(responseOf('first', ended), 'body', 'latin1');
  const from = performance.now();
  while (performance.now() - from < 5);
  endAfterTurn(responseOf('second', ended), 'body', 'latin1');
  expect(ended).toEqual(['second body']);
  await turns();
  expect(ended).toEqual(['second body', 'first body']);
});

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
    const { turns } = await turnsOf(() => writeInPieces(fastClient(), [bytes]));
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
    const sent = writeInPieces(writable as unknown as Response, [Buffer.alloc(PIECES * PIECE_BYTES)], held);
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
    const never = new Writable({
      highWaterMark: 1,
      write: () => void setImmediate().then(() => response.destroy()),
    });
    Object.assign(response, { write: never.write.bind(never) });
    await writeInPieces(response, [Buffer.alloc(2 * PIECE_BYTES)]);
    expect(response.destroyed).toBe(true);
  });
});
