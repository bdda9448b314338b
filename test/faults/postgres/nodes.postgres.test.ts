import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawIds } from '../../../src/database/statements.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import {
  createNamedToken,
  getToken,
  revokeTokens,
} from '../../../src/domain/people/access-token/access-token.service.js';
import {
  createByGraphql,
  createByRest,
  followByEvents,
  followBySocket,
  send,
  writeUntil,
  type Written,
} from '../../support/postgres/load.js';
import { addCompany, openNodes, present } from '../../support/postgres/nodes.js';
import { killPrograms, startProgram, type Program } from '../../support/program.js';
import { startProxy } from '../../support/proxy.js';

/** The file itself is one more node, which makes companies and looks. */
const here = openNodes(0);
let started: Program[] = [];

beforeAll(async () => {
  started = await Promise.all([0, 1, 2].map(() => startProgram(here.url)));
  await here.open();
});
afterAll(killPrograms);

const upTo = (count: number, first = 1): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

async function statusOn(node: Program, token: string): Promise<number> {
  const response = await fetch(new URL('/v1/groups', node.url), {
    headers: { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

describe('nodes that start together', () => {
  it('CF-16 one makes the tables, and all serve', async () => {
    const { token } = await addCompany(here.node(0));
    const migrated = started.filter((node) => node.output().includes('migration 0001-schema'));
    expect(migrated).toHaveLength(1);
    expect(await Promise.all(started.map((node) => statusOn(node, token)))).toEqual([200, 200, 200]);
  });
});

describe('several nodes', () => {
  it('CC-23 refuse a token that another one revoked', async () => {
    const { caller } = await addCompany(here.node(0));
    const { units } = here.node(0);
    const { token, secret } = await units.write(caller, (work) =>
      createNamedToken(work, caller, { name: 'short', scopes: ['read'] }),
    );
    const first = present(started[0]);
    expect(await statusOn(first, secret)).toBe(200);
    await units.write(caller, async (work) =>
      revokeTokens(work, [await getToken(work, token.id)], caller.userId),
    );
    await expect.poll(() => statusOn(first, secret), { interval: 10 }).toBe(401);
  });

  it.each([
    ['REST', createByRest],
    ['GraphQL', createByGraphql],
  ])('CC-22 give one effect to the same key sent to two of them at once: %s', async (kind, create) => {
    const { caller, token } = await addCompany(here.node(0));
    for (let round = 0; round < 10; round += 1) {
      const key = randomUUID();
      const name = `group ${round}`;
      const both = await Promise.all(
        [0, 1, 2, 0, 1, 2].map((index) => create(present(started[index]).url, token, name, key)),
      );
      for (const { status, text } of both)
        expect({ status, text }).toEqual({ status: present(both[0]).status, text: present(both[0]).text });
      expect(present(both[0]).text).toContain(`"name":"${name}"`);
      expect(both.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
      const other = await create(present(started[1]).url, token, `${name} other`, key);
      expect(other.text).toMatch(/idempotency_mismatch/i);
      if (kind === 'REST') expect(other.status).toBeGreaterThanOrEqual(400);
    }
    const names = await here.admin<{ name: string }>(
      `select name from groups where company_id = ${caller.companyId} order by id`,
    );
    expect(names.map(({ name }) => name)).toEqual(upTo(10, 0).map((round) => `group ${round}`));
  });
});

/** A group with many logical numbers, made by plain SQL. Returns its id. */
const PART = 2_000;

async function largeGroup(
  caller: Parameters<typeof createGroup>[0]['caller'],
  count: number,
): Promise<number> {
  const { database, units } = here.node(0);
  const { companyId } = caller;
  const { id } = await units.write(caller, (work) => createGroup(work, { name: `large ${count}` }));
  const first =
    (await drawIds(database.writes, 'logical_numbers', [{ companyId, count }])).get(companyId) ?? 0;
  // A statement of the server may take 5 seconds, also on a busy machine.
  for (let from = 0; from < count; from += PART) {
    await sql`insert into logical_numbers (company_id, id, number, group_id, revision, created_at, updated_at,
        created_by, created_via)
      select ${companyId}::bigint, ${first}::bigint + i, ${`n${id}-`}::text || i, ${id}::bigint, 1, now(), now(), null, 'api'
      from generate_series(${from}::bigint, ${Math.min(from + PART, count)}::bigint - 1) as i`.execute(
      database.writes,
    );
  }
  return id;
}

describe('kill -9 of a node', () => {
  it('CF-22 leaves steps of a wide change to the others', async () => {
    const { caller, token } = await addCompany(here.node(0));
    const [large, small] = [await largeGroup(caller, 20_000), await largeGroup(caller, 600)];
    const third = present(started[2]);
    const notify = (url: string, group: number) =>
      send(
        url,
        token,
        '/v1/notifications',
        { range: 'group', group_id: group, content: 'Hello' },
        randomUUID(),
      );
    expect((await notify(third.url, large)).status).toBe(201);
    await third.end('SIGKILL');
    const deliveries = async (): Promise<number> =>
      (
        await here.admin<{ count: number }>(
          `select count(*) from notification_deliveries where company_id = ${caller.companyId}`,
        )
      )[0]?.count ?? 0;
    expect(await deliveries()).toBeLessThan(20_000);
    expect((await notify(present(started[0]).url, small)).status).toBe(201);
    await expect.poll(deliveries).toBe(20_600);
    const [unique] = await here.admin<{ count: number }>(
      `select count(distinct (notification_id, logical_number_id)) from notification_deliveries
        where company_id = ${caller.companyId}`,
    );
    expect(unique?.count).toBe(20_600);
  });

  it('CF-22 loses and repeats nothing that was acknowledged, and subscribers resume on another one', async () => {
    const { caller, token } = await addCompany(here.node(0));
    const [dying, staying] = started as [Program, Program];
    const proxy = await startProxy([dying.url, staying.url]);
    const [{ first }] = (await here.admin<{ first: number }>(
      `select max(sequence) as first from ledger where company_id = ${caller.companyId}`,
    )) as [{ first: number }];
    const subscribers = [dying.url, staying.url].flatMap((url) => [
      followBySocket([url, proxy.url], token, first),
      followByEvents([url, proxy.url], token, first),
    ]);
    const written: Written = { names: [], repeated: 0 };
    let isDone = false;
    const load = upTo(6).map((index) => {
      const client = { url: proxy.url, token, prefix: `writer ${index}` };
      return writeUntil(index % 2 === 0 ? createByRest : createByGraphql, client, () => isDone, written);
    });
    const readUntilDone = async (): Promise<ReadonlySet<number>> => {
      const statuses = new Set<number>();
      while (!isDone) {
        const query = { query: '{ groups { totalCount } }' };
        const answer = send(proxy.url, token, '/graphql', query, randomUUID());
        statuses.add((await answer.catch(() => ({ status: 0 }))).status);
        await sleep(5);
      }
      return statuses;
    };
    const reads = readUntilDone();
    const total = (): number => written.names.length;
    await expect.poll(total).toBeGreaterThan(200);
    const before = total();
    await dying.end('SIGKILL');
    await expect.poll(() => written.repeated).toBeGreaterThan(0);
    await expect.poll(total).toBeGreaterThan(before + 200);
    isDone = true;
    await Promise.all(load);
    // Connections to the node that was killed are cut.
    expect([0, 200]).toEqual(expect.arrayContaining([...(await reads)]));
    const [{ last }] = (await here.admin<{ last: number }>(
      `select max(sequence) as last from ledger where company_id = ${caller.companyId}`,
    )) as [{ last: number }];
    for (const { seen } of subscribers) {
      await expect.poll(() => seen.at(-1)).toBe(last);
    }
    for (const each of subscribers) each.stop();
    await Promise.all(subscribers.map(({ running }) => running));
    await proxy.close();
    const names = await here.admin<{ name: string }>(
      `select name from groups where company_id = ${caller.companyId}`,
    );
    expect(names.map(({ name }) => name).toSorted()).toEqual(written.names.toSorted());
    expect(last - first).toBe(names.length);
    for (const { seen } of subscribers) expect(seen).toEqual(upTo(last - first, first + 1));
    expect(subscribers.map(({ ends }) => ends() > 1)).toEqual([true, true, false, false]);
    expect(written.repeated).toBeGreaterThan(0);
    expect(written.names.length).toBeGreaterThan(before);
  });
});
