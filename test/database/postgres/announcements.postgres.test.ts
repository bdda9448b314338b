import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { Steps } from '../../../src/app/housekeeping.js';
import type { CommittedChange } from '../../../src/database/database.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import type { Caller } from '../../../src/platform/requests.js';
import { addCompany, openNodes, type Node } from '../../support/postgres/nodes.js';

const { node, admin } = openNodes(2);

type Heard = (readonly CommittedChange[] | null)[];

/** Collects the changes that a node is notified of, until `stop`; null if anything may have changed. */
function listen({ units }: Node): { readonly heard: Heard; readonly stop: () => void } {
  const heard: Heard = [];
  return { heard, stop: units.onCommitted((changes) => void heard.push(changes)) };
}

/** Changed groups of a company among what was heard: changes of the company itself may come late. */
const groupsIn = (heard: Heard, { companyId }: Caller): readonly CommittedChange[] =>
  heard.flatMap((changes) =>
    (changes ?? []).filter((each) => each.companyId === companyId && each.entityType === 'group'),
  );

/** Backends that listen: after it, they only check their connection and take locks of tasks. */
const listeners = async (): Promise<number[]> => {
  const rows = await admin<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (query like 'listen %' or query = 'select 1' or query like 'select pg%advisory%($1, $2)%')`,
  );
  return rows.map(({ pid }) => pid);
};

const endListeners = async (): Promise<void> => {
  for (const pid of await listeners()) await admin(`select pg_terminate_backend(${pid})`);
};

describe('announcements', () => {
  it('let the other node know of a commit', async () => {
    const { caller } = await addCompany(node(0));
    const { heard, stop } = listen(node(1));
    await node(0).units.write(caller, (work) => createGroup(work, { name: 'heard' }));
    const change = { companyId: caller.companyId, entityType: 'group' };
    await expect.poll(() => groupsIn(heard, caller), { interval: 5 }).toEqual([change]);
    stop();
  });

  it('that are too long for a notification say that anything may have changed', async () => {
    const { heard, stop } = listen(node(1));
    const changes = Array.from({ length: 2_000 }, (_, companyId) => ({ companyId, entityType: 'group' }));
    node(0).database.announce(changes);
    await expect.poll(() => heard, { interval: 5 }).toContain(null);
    stop();
  });

  it('go on after the connections that listen were lost, and anything may have changed', async () => {
    const { caller } = await addCompany(node(0));
    await expect.poll(listeners).toHaveLength(2);
    const before = await listeners();
    const { heard, stop } = listen(node(1));
    await endListeners();
    await expect.poll(() => heard.includes(null)).toBe(true);
    await expect.poll(listeners).toHaveLength(2);
    expect(await listeners()).not.toEqual(expect.arrayContaining(before));
    await node(0).units.write(caller, (work) => createGroup(work, { name: 'after the loss' }));
    await expect.poll(() => groupsIn(heard, caller), { interval: 5 }).toHaveLength(1);
    stop();
  });
});

describe('a task', () => {
  it('runs on one node at a time', async () => {
    const gate = Promise.withResolvers<null>();
    const held = node(0).database.alone('housekeeping', async () => void (await gate.promise));
    await sleep(50);
    let ran = 0;
    const use = (): Promise<void> => {
      ran += 1;
      return Promise.resolve();
    };
    expect(await node(1).database.alone('housekeeping', use)).toBe(false);
    expect(await node(1).database.alone('steps', use)).toBe(true);
    gate.resolve(null);
    expect(await held).toBe(true);
    expect(await node(1).database.alone('housekeeping', use)).toBe(true);
    expect(ran).toBe(2);
  });

  it('is free when the connection of its node is lost', async () => {
    const gate = Promise.withResolvers<null>();
    const held = node(0).database.alone('steps', async () => void (await gate.promise));
    await sleep(50);
    await endListeners();
    await expect
      .poll(() =>
        node(1)
          .database.alone('steps', () => Promise.resolve())
          .catch(() => false),
      )
      .toBe(true);
    gate.resolve(null);
    expect(await held).toBe(true);
    await expect.poll(listeners).toHaveLength(2);
  });

  it('of steps is taken over when the other node is done, and not before', async () => {
    const gate = Promise.withResolvers<null>();
    const held = node(0).database.alone('steps', async () => void (await gate.promise));
    await sleep(50);
    const errors: unknown[] = [];
    let taken = 0;
    const alone: Node['database']['alone'] = (task, use) =>
      node(1).database.alone(task, async () => {
        taken += 1;
        await use();
      });
    const steps = new Steps(node(1).units, { alone }, (error) => void errors.push(error), 'secret');
    steps.start();
    await sleep(700);
    expect(taken).toBe(0);
    gate.resolve(null);
    await held;
    await expect.poll(() => taken).toBeGreaterThan(0);
    await steps.stop();
    expect(errors).toEqual([]);
  });
});
