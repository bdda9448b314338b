import { describe, expect, it } from 'vitest';

import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';

const { node, admin } = openNodes(2);

describe('the lock of a company that writes', () => {
  it('CC-21 leaves nothing behind when it could not be had in time', async () => {
    const { caller } = await addCompany(node(0));
    const [isOpen, gate] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    const held = node(1).units.write(caller, async () => {
      isOpen.resolve(null);
      await gate.promise;
    });
    await isOpen.promise;
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const write = (name: string) => node(0).units.write(caller, (work) => createGroup(work, { name }));
    const waiting = await Promise.allSettled(names.map(write));
    gate.resolve(null);
    await held;
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['rejected']));
    const after = await Promise.allSettled(names.map(write));
    expect(after.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('is no lock that a node holds for another purpose, whatever the number of the company', async () => {
    const locks = `select classid::int from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`;
    const held = Promise.withResolvers<{ classid: number }[]>();
    await node(0).database.alone('steps', async () => held.resolve(await admin(locks)));
    expect((await held.promise).map(({ classid }) => classid)).toEqual([21_576]);
  });
});
