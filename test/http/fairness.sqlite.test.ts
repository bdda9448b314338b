import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';

import { changed } from '../support/dashboard.js';
import { wideFleet } from '../support/fleet.js';
import { openConnection } from '../support/raw-http.js';
import { SYSTEM, useServer } from '../support/server.js';

/** Connections of one company, and requests on each. */
const [CONNECTIONS, AHEAD] = [50, 4];
const READS = CONNECTIONS * AHEAD;

const server = useServer();
/** Numbers the reads of all tests. */
let asked = 0;
const sockets: Socket[] = [];
beforeAll(async () => {
  await wideFleet(server, server.acme);
  await server.beta.client.post('groups', { name: 'of beta' });
  expect((await server.acme.graphql(HEAVY, { n: 0 })).status).toBe(200);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const rangeOf = (length: number): number[] => Array.from({ length }, (_none, step) => step);

/** Lists of logical numbers in the query, each number with its group, versions and apps. */
const LISTS = 4;

/** Some 370 logical numbers. The answers are kept, so each read asks for another group too. */
const HEAVY = `query ($n: Int!) { group(databaseId: $n) { id } ${rangeOf(LISTS)
  .map(
    (n) =>
      `a${n}: logicalNumbers(first: ${90 + n}) { nodes { id number group { id name } appVersions(first: 2) { nodes { id number app { name } } } } }`,
  )
  .join(' ')} }`;

/** Reads of acme that wait, one behind the other on each connection. `answered` is how many have been. */
async function manyReads(): Promise<{ readonly answered: () => number; readonly all: Promise<unknown> }> {
  const bodies = rangeOf(READS).map(() => JSON.stringify({ query: HEAVY, variables: { n: (asked += 1) } }));
  const head = ['POST /graphql HTTP/1.1', 'Host: a', `Authorization: Bearer ${server.acme.token}`];
  head.push('Content-Type: application/json');
  const requests = bodies.map(
    (body) => `${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`,
  );
  const opened = await Promise.all(rangeOf(CONNECTIONS).map(() => openConnection(server.url)));
  sockets.push(...opened);
  let answered = 0;
  const { promise: all, resolve } = Promise.withResolvers<undefined>();
  for (const socket of opened) {
    socket.on('data', (bytes: Buffer) => {
      answered += bytes.toString('latin1').split('HTTP/1.1 200 ').length - 1;
      if (answered === READS) resolve(undefined);
    });
    socket.write(requests.splice(0, AHEAD).join(''));
  }
  return { answered: () => answered, all };
}

describe('what one company waits for', () => {
  it('is not the reads of another: 200 on 50 connections', async () => {
    const { answered, all } = await manyReads();
    await expect.poll(answered, { interval: 1 }).toBeGreaterThan(0);
    const before: number[] = [];
    while (before.length < 3) {
      const start = answered();
      expect((await server.beta.client.get('groups')).status).toBe(200);
      before.push(answered() - start);
    }
    // In the order of arrival, each would wait for the reads of 50 connections.
    expect(Math.max(...before)).toBeLessThan(CONNECTIONS / 2);
    expect(answered()).toBeLessThan(READS / 2);
    await all;
  });

  it('is not the writes of another: 100 of 20 rows each', async () => {
    const create = 'mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count } }';
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const held = server.app.units.systemWrite(SYSTEM, () => promise);
    const stored: string[] = [];
    const unwatch = server.app.database.watchStatements((sql) => {
      const [, table] = /^insert into "(devices|groups)"/.exec(sql) ?? [];
      if (table !== undefined) stored.push(table);
    });
    const bulk = rangeOf(100).map(async (n) => {
      const s = rangeOf(20).map((k) => `fair ${n}.${k}`);
      expect(await changed(server.acme, create, { s })).toMatchObject({ count: 20 });
    });
    // Until they wait to write.
    await sleep(1_500);
    expect(stored).toEqual([]);
    const single = server.beta.client.post('groups', { name: 'fair' });
    await sleep(200);
    resolve(undefined);
    expect((await single).status).toBe(201);
    await Promise.all([...bulk, held]);
    unwatch();
    expect(stored.indexOf('groups')).toBeLessThan(5);
    expect(stored).toHaveLength(101);
  });

  it('is not its own reads, where others wait for its change', async () => {
    const { answered, all } = await manyReads();
    await expect.poll(answered, { interval: 1 }).toBeGreaterThan(0);
    const statements: string[] = [];
    const unwatch = server.app.database.watchStatements((sql) => statements.push(sql));
    const create =
      'mutation ($s: [String!]!) { deviceBulkCreate(serialNumbers: $s) { count results { index device { serialNumber logicalNumber { number } } } } }';
    const s = rangeOf(1_000).map((n) => `keyed ${n}`);
    const headers = { 'idempotency-key': 'fair' };
    const { body } = await server.acme.graphql<{ deviceBulkCreate: unknown }>(create, { s }, { headers });
    unwatch();
    expect(body.data.deviceBulkCreate).toMatchObject({ count: 1_000 });
    const first = statements.findIndex((sql) => sql.startsWith('insert into "devices"'));
    const last = statements.findLastIndex((sql) => sql.startsWith('insert into "idempotency_keys"'));
    expect([first > 0, last > first]).toEqual([true, true]);
    // Each list has one of these. The change yields some 20 times: once for 200 rows stored, and for 100 shown.
    const lists = statements.slice(first, last).filter((sql) => sql.includes('from "apps" as t'));
    expect(lists.length / LISTS).toBeLessThan(CONNECTIONS);
    expect(statements.filter((sql) => sql.includes('from "apps" as t')).length).toBeGreaterThan(0);
    await all;
  });
});
