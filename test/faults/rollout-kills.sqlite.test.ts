import { expect, it } from 'vitest';

import { prepareDatabase } from '../support/prepared-database.js';
import { useDatabase, type Given } from './machine.js';
import { LONG_MS, rolloutRounds, SMALL } from './rollout-rounds.js';

let given: Given;
useDatabase((each) => (given = each));

it(
  'kill -9 of the server during a rollout of a bad release neither lets it go on nor keeps it from its undo',
  async () => {
    const { place, folder } = given;
    const { token } = await prepareDatabase(place);
    const { problems, kills, compared } = await rolloutRounds({ ...SMALL, place, token, folder, nodes: 1 });
    expect(problems).toEqual([]);
    expect([kills.length, compared]).toEqual([SMALL.rounds, SMALL.terminals]);
  },
  LONG_MS,
);
