import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Database } from '../../../src/database/database.js';
import { openDatabase } from '../../../src/database/open.js';
import { newDatabase, type TestPlace } from '../../support/databases/place.js';
import { Relay } from '../../support/postgres/relay.js';

let place: TestPlace;
let proxy: Relay;
let database: Database;
beforeAll(async () => {
  place = await newDatabase();
  proxy = new Relay(place.url);
  database = await openDatabase({ server: await proxy.start() });
  // The connection keeps its settings from the second unit of a company on.
  for (let unit = 0; unit < 3; unit += 1) await read(1);
});
afterAll(async () => {
  await database.close();
  proxy.stop();
  await place.remove();
});

/** A read unit of a company, with so many statements one after another. */
async function read(statements: number): Promise<void> {
  await database.snapshot(1, async (db) => {
    for (let n = 0; n < statements; n += 1) await sql`select 1`.execute(db);
  });
}

/** Also what `use` has sent without waiting for an answer. */
async function tripsOf(use: () => Promise<void>): Promise<number> {
  const before = proxy.trips;
  await use();
  await sleep(100);
  return proxy.trips - before;
}

describe('a read unit', () => {
  it.each([1, 2, 5])(
    'of %i statements begins with the first of them, and takes one more trip to end',
    async (count) => {
      await sleep(100);
      expect(await tripsOf(() => read(count))).toBe(count + 1);
    },
  );

  it('does not wait for the answer to its end', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    await database.snapshot(1, async (db) => {
      await sql`select 1`.execute(db);
      proxy.held = promise.then(() => undefined);
    });
    const trips = proxy.trips;
    resolve(undefined);
    proxy.held = null;
    await read(1);
    expect(proxy.trips).toBeGreaterThan(trips);
  });
});
