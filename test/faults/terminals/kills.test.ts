import { expect, it } from 'vitest';

import type { TestPlace } from '../../support/databases/place.js';
import { useDatabase } from '../machine.js';
import { problemsIn } from '../soundness.js';
import { serversOn, terminalRounds, timeFor } from './rounds.js';

let place: TestPlace;
useDatabase((given) => ({ place } = given));

/** `npm run faults` makes hundreds. */
const ROUNDS = 1;

it(
  'CF-01 kill -9 of the server loses and doubles no delivery and no transaction of its terminals',
  async () => {
    const servers = await serversOn(place, 1);
    const summary = await terminalRounds({ ...servers, rounds: ROUNDS, terminals: 15, broker: null });
    expect(summary).toMatchObject({ broken: [], notifications_outstanding: 0, connected: 15 });
    expect(summary.notifications_received).toBeGreaterThanOrEqual(15 * summary.notifications_sent);
    expect(summary.transactions_created).toBeGreaterThan(0);
    // Connections cut by the kill count as errors.
    expect(summary.errors).toBeGreaterThan(0);
    expect(await problemsIn(place)).toEqual([]);
  },
  timeFor(ROUNDS),
);
