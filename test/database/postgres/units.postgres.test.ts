import fc from 'fast-check';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { CompanyRows, specialSql } from '../../../src/database/company/company-rows.js';
import type { WriteWork } from '../../../src/database/work.js';
import { ledgerNewRows } from '../../../src/domain/base/ledger/ledger.service.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { LOCAL_ORIGIN, type Caller } from '../../../src/platform/requests.js';
import { addCompany, openNodes, present, type Node } from '../../support/postgres/nodes.js';

const { node, nodes, admin } = openNodes(4);
const groups = new CompanyRows('groups');

interface Command {
  readonly node: number;
  readonly company: number;
  readonly kind: 'create' | 'bump' | 'remove' | 'fail' | 'above';
  readonly name: string;
  readonly pause: number;
}

const command: fc.Arbitrary<Command> = fc.record({
  node: fc.nat(3),
  company: fc.nat(2),
  kind: fc.constantFrom('create', 'bump', 'bump', 'remove', 'fail', 'above'),
  name: fc.constantFrom('a', 'b', 'c'),
  pause: fc.nat(3),
});

/** Effect of a unit of work once it is acknowledged. */
interface Effect {
  readonly kind: Command['kind'] | 'nothing';
  readonly id: number;
  readonly value: number;
}

class Deliberate extends Error {}

const idOf = (name: string): number => 'abc'.indexOf(name) + 1;

/** The name and the revision of a group are checked before they are changed, with a pause in between. */
async function change(work: WriteWork, { kind, name, pause }: Command): Promise<Effect> {
  const row = await groups.find(work, { name });
  await sleep(pause);
  if (kind === 'create' || kind === 'fail') {
    if (row !== undefined) return { kind: 'nothing', id: row.id, value: 0 };
    const { id } = await createGroup(work, { name });
    if (kind === 'fail') throw new Deliberate();
    return { kind, id, value: 1 };
  }
  if (row === undefined) return { kind: 'nothing', id: idOf(name), value: 0 };
  if (kind === 'remove') await groups.delete(work, { id: row.id });
  else await groups.update(work, { id: row.id }, { revision: row.revision + 1 });
  work.ledger.append({
    action: kind === 'remove' ? 'delete' : 'update',
    entityType: 'group',
    entityId: row.id,
  });
  return { kind, id: row.id, value: row.revision + 1 };
}

/** A unit above companies that changes one of them. */
async function changeAbove({ units }: Node, { companyId }: Caller, { pause }: Command): Promise<Effect> {
  return await units.systemWrite(
    LOCAL_ORIGIN,
    async (work) => {
      const { db } = specialSql(work);
      const row = await db
        .selectFrom('groups')
        .select(['id', 'revision'])
        .where('company_id', '=', companyId)
        .executeTakeFirst();
      await sleep(pause);
      if (row === undefined) return { kind: 'nothing', id: 0, value: 0 };
      const value = row.revision + 1;
      await db
        .updateTable('groups')
        .set({ revision: value })
        .where('company_id', '=', companyId)
        .where('id', '=', row.id)
        .execute();
      work.ledger.append({ action: 'update', entityType: 'group', entityId: row.id, companyId });
      return { kind: 'bump', id: row.id, value };
    },
    companyId,
  );
}

async function run(given: Command, caller: Caller): Promise<Effect> {
  const used = node(given.node);
  try {
    if (given.kind === 'above') return await changeAbove(used, caller, given);
    return await used.units.write(caller, (work) => change(work, given));
  } catch (error) {
    if (error instanceof Deliberate) return { kind: 'nothing', id: 0, value: 0 };
    throw error;
  }
}

/** Follows the ledger of a company on one node until `isDone` says so. Returns the sequences. */
async function follow({ units }: Node, caller: Caller, isDone: () => boolean): Promise<readonly number[]> {
  const seen: number[] = [];
  let cursor = 0;
  for (let isLast = false; !isLast;) {
    isLast = isDone();
    const { last } = await units.systemRead((work) => ledgerNewRows.span(work, caller.companyId));
    const range = { after: cursor, upTo: last, limit: 10_000, condition: null };
    const entries = await units.read(caller, (work) => ledgerNewRows.read(work, range));
    seen.push(...entries.map(({ id }) => id));
    cursor = last;
    await sleep(1);
  }
  return seen;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('units of work on several nodes', () => {
  it('CC-21 lose and repeat nothing, and a follower of the ledger sees each entry once', async () => {
    const property = fc.asyncProperty(
      fc.array(command, { minLength: 20, maxLength: 60 }),
      async (commands) => {
        const callers: Caller[] = [];
        for (let index = 0; index < 3; index += 1) callers.push((await addCompany(node(0))).caller);
        let isDone = false;
        const followers = callers.map((caller, index) => follow(node(3 - index), caller, () => isDone));
        const settled = await Promise.allSettled(
          commands.map((each) => run(each, present(callers[each.company]))),
        );
        isDone = true;
        const seen = await Promise.all(followers);
        const failed = settled.filter(({ status }) => status === 'rejected');
        expect(failed).toEqual([]);
        for (const [index, { companyId }] of callers.entries()) {
          const effects = settled.flatMap((each, at) =>
            each.status === 'fulfilled' && commands[at]?.company === index && each.value.kind !== 'nothing'
              ? [each.value]
              : [],
          );
          const created = effects.filter(({ kind }) => kind === 'create').map(({ id }) => id);
          expect(created.toSorted((a, b) => a - b)).toEqual(upTo(created.length));
          for (const id of created) {
            const bumps = effects.filter((each) => each.kind === 'bump' && each.id === id);
            const values = bumps.map(({ value }) => value).toSorted((a, b) => a - b);
            expect(values).toEqual(upTo(bumps.length).map((value) => value + 1));
            const removed = effects.filter((each) => each.kind === 'remove' && each.id === id).length;
            const rows = await admin<{ revision: number }>(
              `select revision from groups where company_id = ${companyId} and id = ${id}`,
            );
            expect(rows).toEqual(removed === 1 ? [] : [{ revision: bumps.length + 1 }]);
          }
          const entries = await admin<{ sequence: number; action: string; entity_type: string }>(
            `select sequence, action, entity_type from ledger where company_id = ${companyId} order by sequence`,
          );
          expect(entries.map(({ sequence }) => sequence)).toEqual(upTo(entries.length));
          expect(entries.filter(({ entity_type }) => entity_type === 'group')).toHaveLength(effects.length);
          expect(seen[index]).toEqual(upTo(entries.length));
        }
      },
    );
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  });

  it('CC-21 of one company wait for each other, and not for those of another', async () => {
    const [first, second] = [(await addCompany(node(0))).caller, (await addCompany(node(0))).caller];
    const [isOpen, gate] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    const order: string[] = [];
    const held = node(0).units.write(first, async (work) => {
      await createGroup(work, { name: 'held' });
      isOpen.resolve(null);
      await gate.promise;
      order.push('held');
    });
    await isOpen.promise;
    const waiting = [0, 1, 2].map((index) =>
      node(index).units.write(first, async (work) => {
        order.push((await groups.find(work, { name: 'held' })) === undefined ? 'too early' : 'after');
      }),
    );
    for (const { units } of nodes) {
      await units.write(second, async (work) => {
        await createGroup(work, { name: `${order.length}` });
        order.push('other');
      });
    }
    expect(order).toEqual(['other', 'other', 'other', 'other']);
    gate.resolve(null);
    await Promise.all([held, ...waiting]);
    expect(order.slice(4)).toEqual(['held', 'after', 'after', 'after']);
  });
});

describe('the statements of a unit', () => {
  it('read one state, and cannot write', async () => {
    const { caller } = await addCompany(node(0));
    const write = (name: string) => node(1).units.write(caller, (work) => createGroup(work, { name }));
    await write('before');
    const counts = await node(0).units.read(caller, async (work) => {
      const first = await groups.count(work, {});
      await write('meanwhile');
      return [first, await groups.count(work, {})];
    });
    expect(counts).toEqual([1, 1]);
    const writing = node(0).units.read(caller, (work) =>
      sql`delete from groups`.execute(specialSql(work).db),
    );
    await expect(writing).rejects.toMatchObject({ code: 'storage_read_only' });
    expect(await node(0).units.read(caller, (work) => groups.count(work, {}))).toBe(2);
  });

  it('see and change only rows of the company, but where the unit looks above companies', async () => {
    const [own, other] = [(await addCompany(node(0))).caller, (await addCompany(node(0))).caller];
    for (const caller of [own, other]) {
      await node(0).units.write(caller, (work) => createGroup(work, { name: 'group' }));
    }
    const seen = sql<{ company_id: number }>`select company_id from groups order by company_id`;
    const both = [own.companyId, other.companyId];
    const idsIn = async (db: Parameters<typeof seen.execute>[0]): Promise<number[]> =>
      (await seen.execute(db)).rows.map(({ company_id }) => company_id);
    expect(await node(0).units.read(own, (work) => idsIn(specialSql(work).db))).toEqual([own.companyId]);
    await node(0)
      .units.write(own, async (work) => {
        const { db } = specialSql(work);
        expect(await idsIn(db)).toEqual([own.companyId]);
        await sql`update groups set name = 'changed'`.execute(db);
        const above = await work.acrossCompanies((each) => idsIn(specialSql(each).db));
        expect(above).toEqual(expect.arrayContaining(both));
        expect(await idsIn(db)).toEqual([own.companyId]);
        await expect(
          sql`insert into groups (company_id, id, name, revision, created_at, updated_at, created_via)
          values (${other.companyId}, 99, 'x', 1, now(), now(), 'api')`.execute(db),
        ).rejects.toThrow(/row-level security/);
      })
      .catch((error: unknown) => {
        // PostgreSQL cannot commit after the refused statement.
        expect(String(error)).toContain('rolled back');
      });
    const names = await admin<{ name: string }>(
      `select name from groups where company_id = ${other.companyId}`,
    );
    expect(names).toEqual([{ name: 'group' }]);
  });

  it('see all rows in a query of everywhere, those of other queries meanwhile only their own', async () => {
    const [one, other] = [await addCompany(node(0)), await addCompany(node(0))];
    const companies = sql<{ readonly id: number }>`select id from companies`;
    const { units } = node(0);
    await units.read(one.caller, async (work) => {
      const queries = [work.db, work.everywhere(), work.db].map((db) => companies.execute(db));
      const [before, all, after] = (await Promise.all(queries)).map(({ rows }) => rows.map(({ id }) => id));
      const { companyId } = one.caller;
      expect([before, after]).toEqual([[companyId], [companyId]]);
      expect(all).toEqual(expect.arrayContaining([companyId, other.caller.companyId]));
    });
    const failing = units.read(one.caller, (work) => sql`select 1 / 0`.execute(work.everywhere()));
    await expect(failing).rejects.toThrow('division by zero');
  });

  it('are refused once it has ended, and change nothing', async () => {
    const { caller } = await addCompany(node(0));
    const late = Promise.withResolvers<null>();
    const strays: Promise<unknown>[] = [];
    const stray = async (work: WriteWork): Promise<void> => {
      await late.promise;
      await createGroup(work, { name: 'stray' });
    };
    const failing = node(0).units.write(caller, async (work) => {
      strays.push(stray(work).catch((error: unknown) => error));
      await createGroup(work, { name: 'first' });
      throw new Deliberate();
    });
    await expect(failing).rejects.toThrow(Deliberate);
    const read = await node(0).units.read(caller, (work) => Promise.resolve(work));
    late.resolve(null);
    expect(String((await Promise.all(strays))[0])).toContain('has ended');
    await expect(groups.count(read, {})).rejects.toThrow('has ended');
    expect(await node(1).units.read(caller, (work) => groups.count(work, {}))).toBe(0);
  });
});

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
