import { sql } from 'kysely';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Database } from '../../../src/database/database.js';
import { openDatabase } from '../../../src/database/open.js';
import { newDatabase, type TestPlace } from '../../support/databases/place.js';

/** Between the server and PostgreSQL: counts how often something is sent after something was received. */
class CountingProxy {
  trips = 0;
  /** While it is set, answers of PostgreSQL are kept back until the promise resolves. */
  held: Promise<void> | null = null;
  readonly #server: Server;

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((near) => {
      const far = connect(target);
      let wasAnswered = true;
      near.on('data', (sent: Buffer) => {
        if (wasAnswered) this.trips += 1;
        wasAnswered = false;
        far.write(sent);
      });
      far.on('data', (answer: Buffer) => {
        void (this.held ?? Promise.resolve()).then(() => {
          wasAnswered = true;
          near.write(answer);
        });
      });
      for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
        socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      }
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

let place: TestPlace;
let proxy: CountingProxy;
let database: Database;
beforeAll(async () => {
  place = await newDatabase();
  const url = new URL(place.url);
  proxy = new CountingProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(await proxy.listen());
  database = await openDatabase({ server: url.href });
  // The connection keeps its settings from the second unit of a company on.
  for (let unit = 0; unit < 3; unit += 1) await read(1);
});
afterAll(async () => {
  await database.close();
  proxy.close();
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
