import { expect, it } from 'vitest';

import { SeenDevices } from '../../../../src/domain/terminals/terminal/access.service.js';
import { fleet } from '../../../support/fleet.js';
import { useServer } from '../../../support/server.js';
import { fails } from '../../../support/terminals.js';

const server = useServer();

/** All rows fit on the page of the first ones, also if a transaction of another test keeps old ones from being removed. */
const ROUNDS = 10;

it('the time at which a device was seen is written without an index entry, and without the device', async () => {
  const { companyId } = server.acme.caller;
  const ids: number[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await fleet.device(server.acme.client, `SN-${n}`));
  const updatesOf = async (table: string): Promise<{ updates: number; hot: number } | undefined> => {
    const [row] = await server.place.sql<{ updates: number; hot: number }>(
      'select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables where relname = $1',
      [table],
    );
    return row;
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const node = new SeenDevices(server.app.units, server.clock, fails);
    for (const id of ids) node.note(companyId, id, new Date(server.clock.now().getTime() + round * 1000));
    await node.finish();
  }
  const updates = ROUNDS * ids.length;
  // A connection reports what it has counted some seconds later.
  await expect.poll(() => updatesOf('device_presence')).toEqual({ updates, hot: updates });
  const options = await server.place.sql("select reloptions from pg_class where relname = 'device_presence'");
  expect(options).toEqual([{ reloptions: ['fillfactor=50'] }]);
  expect(await updatesOf('devices')).toMatchObject({ updates: 0 });
});
