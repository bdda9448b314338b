import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { deviceChanges } from '../../../../src/domain/fleet/device/device-change.service.js';
import { SeenDevices } from '../../../../src/domain/terminals/terminal/access.service.js';
import { fileOf } from '../../../support/databases/sqlite-place.js';
import { planOf } from '../../../support/query-plan.js';
import { useServer } from '../../../support/server.js';
import { fails } from '../../../support/terminals.js';

const server = useServer();
let database: Sqlite.Database;
beforeAll(() => {
  database = new Sqlite(fileOf(server.place), { readonly: true });
});
afterAll(() => {
  database.close();
});

it('the times of devices are stored by their ids, without reading other devices of the company', async () => {
  const node = new SeenDevices(server.app.units, server.clock, fails);
  node.note(server.acme.caller.companyId, 1, server.clock.now());
  const { statements } = await server.statements(() => node.finish());
  const stores = statements.filter((text) => text.includes('update device_presence set last_seen_at'));
  expect(stores).toHaveLength(1);
  const steps = stores
    .flatMap((text) => planOf(database, text))
    .filter((step) => step.includes('device_presence'));
  expect(steps).toEqual(['SEARCH device_presence USING PRIMARY KEY (company_id=? AND device_id=?)']);
});

it('changes of the presence are found by its indexes, in one statement for all followers', async () => {
  const look = () => deviceChanges.look?.(server.app.units, server.acme.caller, null, null);
  const { statements } = await server.statements(() => Promise.all([look(), look()]));
  const looks = statements.filter((text) => text.includes('from device_presence'));
  expect(looks).toHaveLength(1);
  const steps = looks.flatMap((text) => planOf(database, text)).filter((step) => step.includes(' p '));
  const by = (column: string, range: string): string =>
    `SEARCH p USING INDEX device_presence_by_${column}_device_id (company_id=? AND ${range})`;
  expect(steps).toEqual([
    by('online_since', 'online_since>?'),
    by('last_seen_at', 'last_seen_at>? AND last_seen_at<?'),
    by('last_seen_at', 'last_seen_at>? AND last_seen_at<?'),
  ]);
});
