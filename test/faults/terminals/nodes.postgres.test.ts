import { expect, it } from 'vitest';

import type { TestPlace } from '../../support/databases/place.js';
import { useDatabase } from '../machine.js';
import { serversOn, terminalRounds, timeFor } from './rounds.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

/** One kill of each; `npm run faults` makes hundreds. */
const ROUNDS = 2;

it(
  'CF-22 kill -9 of one of two servers loses and doubles no delivery and no transaction of their terminals',
  async () => {
    const servers = await serversOn(place, 2);
    const summary = await terminalRounds({ ...servers, rounds: ROUNDS, terminals: 15, broker: null });
    expect(summary).toMatchObject({ broken: [], notifications_outstanding: 0, connected: 15 });
    expect(summary.notifications_received).toBeGreaterThanOrEqual(15 * summary.notifications_sent);
    expect(summary.transactions_created).toBeGreaterThan(0);
  },
  timeFor(ROUNDS),
);
