import type { Response } from 'express';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { endTogether } from '../../src/http/end-together.js';
import { clientOwner, currentOwner, workFor } from '../../src/platform/concurrency/event-loop.js';

interface Ended {
  readonly name: string;
  readonly owner: unknown;
}

function responseOf(name: string, ended: Ended[], state: { destroyed?: boolean } = {}): Response {
  const response = {
    destroyed: false,
    writableEnded: false,
    ...state,
    end: (body: string) => ended.push({ name: `${name} ${body}`, owner: currentOwner().party }),
  };
  return response as unknown as Response;
}

/** Until the end of the turn after this one. */
const turns = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

it('responses of one turn of the event loop are ended at its end, in their order, as work of the server', async () => {
  await turns();
  const ended: Ended[] = [];
  for (const name of ['first', 'second', 'third']) {
    workFor(clientOwner({ name }), () => endTogether(responseOf(name, ended), 'body', 'latin1'));
  }
  expect(ended).toEqual([]);
  await turns();
  const owner: unknown = 'server';
  expect(ended).toEqual(['first', 'second', 'third'].map((name) => ({ name: `${name} body`, owner })));
});

it('a response whose client has left meanwhile is not ended', async () => {
  const ended: Ended[] = [];
  const left = responseOf('left', ended);
  endTogether(left, 'body', 'latin1');
  endTogether(responseOf('stayed', ended), 'body', 'latin1');
  Object.assign(left, { destroyed: true });
  await turns();
  expect(ended.map(({ name }) => name)).toEqual(['stayed body']);
});

it('a response that is complete when a turn has taken long is ended at once, with those before it', async () => {
  await turns();
  const ended: Ended[] = [];
  endTogether(responseOf('first', ended), 'body', 'latin1');
  const from = performance.now();
  while (performance.now() - from < 5);
  endTogether(responseOf('second', ended), 'body', 'latin1');
  expect(ended.map(({ name }) => name)).toEqual(['first body', 'second body']);
});
