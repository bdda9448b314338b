import type { Response } from 'express';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { endAfterTurn } from '../../src/http/send.js';

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
