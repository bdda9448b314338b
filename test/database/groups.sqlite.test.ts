import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import type { SystemWriteWork } from '../../src/database/work.js';
import { holdWriteLock, inOtherProcess } from '../support/other-process.js';
import { SYSTEM } from '../support/server.js';
import { add, addCompany, codeOf, companies, openUnits } from './added-companies.js';
import { type Grouped, openGrouped } from './grouped.js';

const namesUpTo = (count: number): string[] => Array.from({ length: count }, (_none, n) => `company ${n}`);

/** Gets the name of each unit that ends, whether it failed or not, and `commit` for each commit. */
function recorded({ hooks }: Grouped): {
  readonly events: string[];
  readonly record: (name: string, unit: Promise<unknown>) => Promise<string>;
} {
  const events: string[] = [];
  hooks.committed = () => void events.push('commit');
  const record = async (name: string, unit: Promise<unknown>): Promise<string> => {
    const code = await codeOf(unit);
    events.push(name);
    return code;
  };
  return { events, record };
}

const KEPT = 'Error: it was kept';

describe('units of work that arrive together', () => {
  it('are one commit, after which each of them ends, in their order', async () => {
    const grouped = openGrouped();
    const { events, record } = recorded(grouped);
    const names = namesUpTo(100);
    const after: string[] = [];
    const unit = (name: string) =>
      grouped.units.systemWrite(SYSTEM, async (work) => {
        work.afterCommit(() => after.push(name));
        await addCompany(work, name);
        expect(await companies(grouped.database)).toEqual([]);
      });
    const codes = await Promise.all(names.map((name) => record(name, unit(name))));
    expect(new Set(codes)).toEqual(new Set([KEPT]));
    expect(events).toEqual(['commit', ...names]);
    expect(after).toEqual(names);
    expect(await companies(grouped.database)).toEqual(names);
  });

  it('are at most 128 in one commit', async () => {
    const grouped = openGrouped();
    const { events, record } = recorded(grouped);
    const names = namesUpTo(300);
    await Promise.all(names.map((name) => record(name, add(grouped.units, name))));
    const [first, second, third] = [names.slice(0, 128), names.slice(128, 256), names.slice(256)];
    expect(events).toEqual(['commit', ...first, 'commit', ...second, 'commit', ...third]);
    expect(await companies(grouped.database)).toEqual(names);
  });

  it('see what those before them have changed, and undo only their own changes', async () => {
    const grouped = openGrouped();
    const { events, record } = recorded(grouped);
    const failing = grouped.units.systemWrite.bind(null, SYSTEM, async (work: SystemWriteWork) => {
      work.afterCommit(() => events.push('after a failure'));
      await addCompany(work, 'half');
      throw new Error('changed my mind');
    });
    const codes = await Promise.all([
      record('first', add(grouped.units, 'a')),
      record('second', add(grouped.units, 'a')),
      record('third', add(grouped.units, 'b')),
      record('fourth', failing()),
      record('fifth', add(grouped.units, 'half')),
    ]);
    expect(codes).toEqual([KEPT, 'taken', KEPT, 'Error: changed my mind', KEPT]);
    // One that failed has read what the first one has changed, which is not stored before the commit.
    expect(events[0]).toBe('commit');
    expect(events.slice(1).sort()).toEqual(['fifth', 'first', 'fourth', 'second', 'third']);
    expect(await companies(grouped.database)).toEqual(['a', 'b', 'half']);
  });

  it('do not hold a statement of its own, which is stored when it ends', async () => {
    const grouped = openGrouped();
    const { events, record } = recorded(grouped);
    const row = { name: 'direct', created_at: new Date(0), updated_at: new Date(0) };
    const direct = async (): Promise<void> => {
      await grouped.database.writes.insertInto('companies').values(row).execute();
      expect(await companies(grouped.database)).toEqual(['a', 'b', 'direct']);
    };
    // Kysely asks for the turn of a statement of its own a few steps later than a unit does.
    const afterwards = async (): Promise<void> => {
      for (let step = 0; step < 10; step += 1) await Promise.resolve();
      await add(grouped.units, 'c');
    };
    const all = [add(grouped.units, 'a'), add(grouped.units, 'b'), direct(), afterwards()];
    await Promise.all(all.map((unit, n) => record(`${n}`, unit)));
    expect(events[0]).toBe('commit');
    expect(events.filter((event) => event === 'commit')).toHaveLength(2);
    expect(await companies(grouped.database)).toEqual(['a', 'b', 'direct', 'c']);
  });

  it('can execute nothing once they have ended, though their changes are not committed yet', async () => {
    const { database, units } = openGrouped();
    let leaked: SystemWriteWork | undefined;
    const first = units.systemWrite(SYSTEM, async (work) => {
      await addCompany(work, 'first');
      leaked = work;
    });
    const second = units.systemWrite(SYSTEM, async (work) => {
      if (leaked === undefined) throw new Error('The first unit has not run.');
      await expect(addCompany(leaked, 'late')).rejects.toThrow('This unit of work has ended.');
      await addCompany(work, 'second');
    });
    await Promise.all([first, second]);
    expect(await companies(database)).toEqual(['first', 'second']);
  });
});

/** Room for a few pages more than there are; null gives it all back. */
async function limitRoom({ writes }: Database, pages: number | null): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(writes);
  const limit = pages === null ? 1_000_000 : (rows[0]?.page_count ?? 0) + pages;
  await sql.raw(`pragma max_page_count = ${limit}`).execute(writes);
}

describe('a fault of the storage', () => {
  it('in one of them leaves nothing of those before it, and each says why', async () => {
    const { database, units } = openGrouped();
    await add(units, 'before');
    await limitRoom(database, 3);
    const after: string[] = [];
    const unit = (name: string) =>
      units.systemWrite(SYSTEM, async (work) => {
        work.afterCommit(() => after.push(name));
        await addCompany(work, name);
      });
    const names = ['small', 'large'.padEnd(100_000, '-'), 'next'];
    const codes = await Promise.all(names.map((name) => codeOf(unit(name))));
    expect(codes).toEqual(['storage_full', 'storage_full', KEPT]);
    expect(after).toEqual(['next']);
    expect(await companies(database)).toEqual(['before', 'next']);
    await limitRoom(database, null);
    await add(units, 'after');
    expect(await companies(database)).toEqual(['before', 'next', 'after']);
  });

  it('in their commit fails all of them, also one that was refused for what is not stored', async () => {
    const grouped = openGrouped();
    const { database, units, hooks } = grouped;
    hooks.committing = () => {
      hooks.committing = () => undefined;
      throw new Error('no commit');
    };
    const codes = await Promise.all(['a', 'a', 'b'].map((name) => codeOf(add(units, name))));
    expect(codes).toEqual(['storage_unavailable', 'storage_unavailable', 'storage_unavailable']);
    expect(await companies(database)).toEqual([]);
    await add(units, 'a');
    expect(await companies(database)).toEqual(['a']);
  });

  it('after which SQLite has undone the transaction fails those before it, not those after it', async () => {
    const { database, units } = openGrouped();
    const undoing = units.systemWrite.bind(null, SYSTEM, async (work: SystemWriteWork) => {
      await addCompany(work, 'first part');
      await sql`insert or rollback into companies (id, name, created_at, updated_at)
        select id, name, 0, 0 from companies`
        .execute(work.db)
        .catch(() => undefined);
      await addCompany(work, 'part');
    });
    const codes = await Promise.all([
      codeOf(add(units, 'before')),
      codeOf(undoing()),
      codeOf(add(units, 'after')),
    ]);
    expect(codes).toEqual(['storage_unavailable', 'taken', KEPT]);
    expect(await companies(database)).toEqual(['after']);
  });
});

describe("CC-12 another process's lock", () => {
  it('is waited for without holding up reads', async () => {
    const { database, units } = await openUnits();
    await holdWriteLock(database.name, 1_000);
    let waiting = true;
    const isWaiting = (): boolean => waiting;
    const write = add(units, 'patient').finally(() => (waiting = false));
    let reads = 0;
    for (; isWaiting(); reads += 1) {
      expect((await companies(database)).length).toBeLessThan(2);
      await sleep(5);
    }
    await write;
    expect(reads).toBeGreaterThan(10);
    expect(await companies(database)).toEqual(['patient']);
  });

  it('ends all who wait for it after five seconds, not one after the other', async () => {
    const { database, units } = await openUnits();
    const holder = await holdWriteLock(database.name, 60_000);
    const codes = await Promise.all(Array.from({ length: 5 }, (_, n) => codeOf(add(units, `company ${n}`))));
    expect(codes).toEqual(['busy', 'busy', 'busy', 'busy', 'busy']);
    expect(holder.exitCode).toBeNull();
    expect(database.health.fault).toBeNull();
    holder.kill('SIGKILL');
    await add(units, 'after');
    expect(await companies(database)).toEqual(['after']);
  });
});

describe('another process', () => {
  it('can write while units wait without an end', async () => {
    const { database, units } = await openUnits();
    let [isWriting, count] = [true, 0];
    const writers = Array.from({ length: 300 }, async () => {
      while (isWriting) await add(units, `company ${(count += 1)}`);
    });
    await inOtherProcess(
      `const database = new (require('better-sqlite3'))(process.argv[1], { timeout: 20000 });
      for (const name of ['other 1', 'other 2', 'other 3'])
        database.prepare('insert into companies (name, created_at, updated_at) values (?, 0, 0)').run(name);
      process.stdout.write('written');
      setInterval(() => undefined, 1000);`,
      database.name,
    );
    const before = count;
    isWriting = false;
    await Promise.all(writers);
    expect(before).toBeGreaterThan(300);
    expect(await companies(database)).toEqual(expect.arrayContaining(['other 1', 'other 2', 'other 3']));
  });
});

describe('a full storage', () => {
  it('is never kept in part where the fault is swallowed on the way', async () => {
    const { database, units } = await openUnits();
    await add(units, 'before');
    await limitRoom(database, 3);
    const swallowing = units.systemWrite(SYSTEM, async (work) => {
      await addCompany(work, 'part');
      await addCompany(work, 'x'.repeat(100_000)).catch(() => undefined);
      await addCompany(work, 'another part').catch(() => undefined);
    });
    expect(await codeOf(swallowing)).toBe('storage_full');
    expect(database.health.fault).toBe('storage_full');
    await limitRoom(database, null);
    expect(await companies(database)).toEqual(['before']);
    await add(units, 'after');
    expect(await companies(database)).toEqual(['before', 'after']);
    expect(database.health.fault).toBeNull();
  });
});
