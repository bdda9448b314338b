import { expect, it, onTestFinished } from 'vitest';

import { faultyPostgres } from '../../support/postgres/boot.js';
import { killPrograms } from '../../support/program.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';
import { LONG_MS, rolloutRounds, SMALL, WITHOUT_FSYNC } from '../rollout-rounds.js';
import { addCompany, placeOf } from './gateway.js';

it(
  'kill -9 of two nodes and of PostgreSQL during a rollout of a bad release neither lets it go on nor keeps it from its undo',
  async () => {
    const [databaseServer, folder] = [await faultyPostgres(WITHOUT_FSYNC), scratchFolder()];
    onTestFinished(async () => {
      await killPrograms();
      await databaseServer.stop();
      removeFolder(folder);
    });
    const token = await addCompany(databaseServer.url);
    const place = placeOf(databaseServer);
    const options = { ...SMALL, place, token, folder, nodes: 2, databaseServer };
    const { problems, kills, compared } = await rolloutRounds(options);
    expect(problems).toEqual([]);
    expect([kills.length, compared]).toEqual([SMALL.rounds, SMALL.terminals]);
  },
  LONG_MS,
);
