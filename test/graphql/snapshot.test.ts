import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import type { ReadWork, Units } from '../../src/database/work.js';
import { openKnown } from '../support/raw-socket.js';
import { useServer } from '../support/server.js';
import { graphqlPost, openSlowClient } from '../support/slow-client.js';
import { TRANSPORTS } from '../support/transports.js';

const server = useServer();
beforeAll(async () => {
  for (const name of ['one', 'two', 'three']) await server.acme.client.post('groups', { name });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts the read units that begin, and those that have not ended. */
function countUnits(units: Units): { begun: number; open: number } {
  const counts = { begun: 0, open: 0 };
  const read = units.read.bind(units);
  const counted = async <T>(caller: Parameters<Units['read']>[0], use: (work: ReadWork) => Promise<T>) => {
    counts.begun += 1;
    counts.open += 1;
    try {
      return await read(caller, use);
    } finally {
      counts.open -= 1;
    }
  };
  vi.spyOn(units, 'read').mockImplementation(counted);
  return counts;
}

const NESTED = `groups(first: 2) { totalCount nodes { name logicalNumbers(first: 2) { totalCount nodes { number } } } }`;

describe('an operation', () => {
  it.each(Object.entries(TRANSPORTS))('reads everything in one unit, over %s', async (_transport, send) => {
    const counts = countUnits(server.app.units);
    await send(server, server.acme, `{ ${NESTED} devices { totalCount } }`);
    expect(counts).toEqual({ begun: 1, open: 0 });
  });

  it('that reads nothing opens none', async () => {
    const counts = countUnits(server.app.units);
    await server.acme.graphql('{ viewer { role } }');
    await server.acme.graphql('{ groups(first: 1000) { totalCount } }');
    expect(counts).toEqual({ begun: 0, open: 0 });
  });

  it('reads in a new unit after each change', async () => {
    const counts = countUnits(server.app.units);
    const { body } = await server.acme.graphql<Record<string, { group: { logicalNumbers: unknown } }>>(
      `mutation {
        a: groupCreate(input: { name: "a" }) { group { logicalNumbers { totalCount } createdBy { name } } }
        b: groupCreate(input: { name: "b" }) { group { logicalNumbers { totalCount } createdBy { name } } } }`,
    );
    expect(body.data.b?.group.logicalNumbers).toEqual({ totalCount: 0 });
    expect(counts).toEqual({ begun: 2, open: 0 });
  });

  it('with an Idempotency-Key reads its payload in its transaction', async () => {
    const counts = countUnits(server.app.units);
    const query = `mutation { groupCreate(input: { name: "keyed" }) { group { createdBy { name } } } }`;
    const headers = { 'idempotency-key': 'snapshot' };
    const { body } = await server.acme.graphql(query, {}, { headers });
    expect(body.data).toMatchObject({ groupCreate: { group: { createdBy: {} } } });
    expect(counts).toEqual({ begun: 0, open: 0 });
  });

  it.each([
    ['fails beside other reads', `{ ${NESTED} users(first: 1000) { totalCount } devices { totalCount } }`],
    ['fails within its reads', '{ groups { nodes { name createdBy { apiTokens { totalCount } } } } }'],
    ['has a cursor that is none', `{ ${NESTED} devices(after: "x") { nodes { id } } }`],
  ])('that %s leaves no unit open', async (_case, query) => {
    const viewer = await server.member('acme', 'viewer');
    const counts = countUnits(server.app.units);
    expect((await viewer.graphql(query)).body.errors).toBeDefined();
    await expect.poll(() => counts.open).toBe(0);
  });

  it('whose client has left leaves no unit open', async () => {
    const counts = countUnits(server.app.units);
    const body = JSON.stringify({ query: `{ ${NESTED} }` });
    for (let n = 0; n < 5; n += 1) {
      const client = await openSlowClient(server.url);
      await client.send(graphqlPost(server.acme.token, body));
      await sleep(n);
      client.socket.destroy();
    }
    await expect.poll(() => counts.begun).toBeGreaterThan(0);
    await expect.poll(() => counts.open).toBe(0);
  });
});

it('a subscription holds no unit while it waits', async () => {
  const socket = await openKnown(server, server.acme.token);
  const counts = countUnits(server.app.units);
  const query = 'subscription { ledgerAppended { sequence actor { name } } }';
  socket.say({ type: 'subscribe', id: 'events', payload: { query } });
  await sleep(200);
  expect(counts.open).toBe(0);
  await server.acme.client.post('groups', { name: 'an event' });
  await socket.hear({ type: 'next', id: 'events' });
  await expect.poll(() => counts.open).toBe(0);
  expect(counts.begun).toBeGreaterThan(0);
  socket.socket.close();
});

describe('the state that an operation sees', () => {
  const COPIED = 'company_id, revision, created_at, updated_at, created_by, created_via';

  /** Adds a group after the first statement about groups of the next operation, over a connection of its own. */
  function addGroupAfterFirstStatement(name: string): { readonly added: Promise<unknown> } {
    let statements = 0;
    const added = new Promise((resolve, reject) => {
      const unwatch = server.app.database.watchStatements((text) => {
        if (text.includes('groups')) statements += 1;
        if (statements !== 2) return;
        unwatch();
        const copy = `insert into groups (id, name, ${COPIED})
          select id + 500, $1, ${COPIED} from groups order by id limit 1`;
        server.place.sql(copy, [name]).then(resolve, reject);
      });
    });
    return { added };
  }

  it('is one, though another process writes between its reads', async () => {
    const query =
      '{ groups(first: 100) { nodes { name } totalCount } again: groups(last: 1) { totalCount nodes { name } } }';
    const { added } = addGroupAfterFirstStatement('written between');
    const { body } = await server.acme.graphql<{
      groups: { totalCount: number; nodes: unknown[] };
      again: { totalCount: number; nodes: { name: string }[] };
    }>(query);
    const { groups, again } = body.data;
    expect(groups.nodes).toHaveLength(groups.totalCount);
    expect([again.totalCount, again.nodes[0]?.name]).not.toContain('written between');
    await added;
    const later = await server.acme.graphql<{ groups: { totalCount: number } }>('{ groups { totalCount } }');
    expect(later.body.data.groups.totalCount).toBe(groups.totalCount + 1);
  });
});
