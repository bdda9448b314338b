import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';

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
