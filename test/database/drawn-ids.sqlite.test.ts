import { afterAll, beforeAll, expect, it } from 'vitest';

import { DRAWING_TABLES } from '../../src/database/counters.js';
import { startServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

it.each([...DRAWING_TABLES])(
  'the trigger that counts rows of %s keeps the number that a row has drawn',
  async (table) => {
    const [trigger] = await server.place.sql<{ sql: string }>(
      `select sql from sqlite_schema where type = 'trigger' and name = '${table}_counted_in'`,
    );
    expect(trigger?.sql).toContain('last_drawn = max(last_drawn, excluded.last_drawn)');
  },
);
