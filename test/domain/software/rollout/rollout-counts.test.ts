import { expect, it } from 'vitest';

import { answered } from '../../../support/dashboard.js';
import {
  createRollout,
  lookAgain,
  newRollout,
  rolloutFleet,
  shownRollout,
} from '../../../support/rollouts.js';
import { useServer } from '../../../support/server.js';

const server = useServer();

it('counts its waves as the dry run did, and names the versions that an undo gives back', async () => {
  const { acme } = server;
  const own = await rolloutFleet(server, acme, 20, 'alike');
  for (const n of [3, 4, 5]) await acme.client.put(`devices/alike%20${n}`, { enabled: false });
  const input = own.input({ waves: [{ percent: 20 }, {}] });
  const draft = await createRollout(acme, input, true);
  expect(draft).toMatchObject({
    waves: [{ count: 4 }, { count: 13 }],
    obstacles: [{ obstacle: 'DISABLED', count: 3 }],
  });
  const id = await newRollout(acme, input);
  const planned = await shownRollout(acme, id);
  expect(planned.waves.map(({ size, waiting, excluded }) => [size, waiting, excluded])).toEqual([
    [4, 4, 0],
    [13, 13, 0],
  ]);
  expect([planned.total, planned.replacedAppVersions]).toEqual([20, []]);
  await server.app.steps.idle();
  await lookAgain(server);
  const { replacedAppVersions, waves } = await shownRollout(acme, id);
  expect(replacedAppVersions).toEqual([{ databaseId: own.before }]);
  expect(waves.map(({ size, excluded }) => [size, excluded])).toEqual([
    [4, 0],
    [13, 0],
  ]);
  const leftOut = `query ($id: ID!) { rollout(id: $id) {
    terminals(filter: { state: { eq: EXCLUDED } }) { nodes { wave obstacle } } } }`;
  expect(await answered(acme, leftOut, { id })).toEqual({
    rollout: {
      terminals: { nodes: Array.from({ length: 3 }, () => ({ wave: null, obstacle: 'DISABLED' })) },
    },
  });
});
