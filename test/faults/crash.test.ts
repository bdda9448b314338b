import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { TestPlace } from '../support/databases/place.js';
import { serveHere, startProgram } from '../support/program.js';
import { contents, notifyGroup, NUMBERS, prepareLargeGroup } from './large-group.js';
import { useDatabase } from './machine.js';
import { killRounds } from './rounds.js';
import { problemsIn } from './soundness.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

/** `npm run faults` makes hundreds. */
const ROUNDS = 2;

describe('CF-01 kill -9 during mixed writes', () => {
  it(`loses no acknowledged change in ${ROUNDS} rounds`, async () => {
    const { problems, acknowledged } = await killRounds({ rounds: ROUNDS, place });
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(ROUNDS * 16);
  });
});

describe('kill -9 while a notification goes to a thousand terminals', () => {
  it('CF-03 stores all of its deliveries or none', async () => {
    const { token, groupId } = await prepareLargeGroup(place);
    for (let round = 0; round < 2; round += 1) {
      const program = await startProgram(place.url);
      const client = program.client(token);
      const before = (await contents(client)).length;
      const sending = Promise.allSettled(
        Array.from({ length: 6 }, (_, n) => notifyGroup(client, groupId, `SHOW_MESSAGE|${round}.${n}`)),
      );
      await sleep(Math.random() * 60);
      await program.end('SIGKILL');
      const acknowledged = (await sending).filter(({ status }) => status === 'fulfilled').length;
      const again = await serveHere(place.url);
      const after = (await contents(again.client(token))).length;
      expect(after - before).toBeGreaterThanOrEqual(acknowledged);
      // The started server queues the deliveries that are left.
      await expect.poll(() => problemsIn(place, { deliveriesEach: NUMBERS })).toEqual([]);
      await again.stop();
    }
  });
});
