import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { instant } from '../../../src/database/storage.js';
import { callerOf, count, examine, forHours, hold, openExamined, until } from '../../support/examining.js';
import { SYSTEM } from '../../support/server.js';

describe('a read unit that examines', () => {
  it('leaves other read units where they are', async () => {
    const { database, units } = await openExamined();
    expect(await units.read(callerOf(1), count)).toBe(2_000);
    expect(database.examining().threads).toBe(0);
  });

  it('sees one state, even if changes are committed between its statements', async () => {
    const { units } = await openExamined();
    const start = instant.toColumn(new Date(0));
    const add = (name: string): Promise<unknown> =>
      units.systemWrite(SYSTEM, ({ db }) =>
        db.insertInto('companies').values({ name, created_at: start, updated_at: start }).execute(),
      );
    const seen = await examine(units, 1, async (work) => {
      const before = await count(work);
      await add('one more');
      const inside = await examine(units, 2, count);
      return [before, inside, await count(work)];
    });
    expect(seen).toEqual([2_000, 2_001, 2_000]);
    expect(await examine(units, 1, count)).toBe(2_001);
  });

  it('does not hold the event loop: what comes later is served while it runs', async () => {
    const { database, units } = await openExamined({ deadlineMs: 60_000 });
    const order: string[] = [];
    const endless = examine(units, 1, forHours).catch(() => order.push('the endless one'));
    await examine(units, 2, count);
    order.push('another company');
    await units.read(callerOf(1), count);
    order.push('a small read');
    await database.close();
    await endless;
    expect(order).toEqual(['another company', 'a small read', 'the endless one']);
  });

  it('cannot write', async () => {
    const { units } = await openExamined();
    const write = examine(units, 1, ({ db }) => sql`delete from companies`.execute(db));
    await expect(write).rejects.toThrow();
    expect(await units.systemRead(count)).toBe(2_000);
  });

  it('refuses statements after its end', async () => {
    const { units } = await openExamined();
    const { db } = await examine(units, 1, (work) => Promise.resolve(work));
    await expect(count({ db })).rejects.toThrow('The unit of work has ended.');
  });
});

describe('the deadline of a read unit that examines', () => {
  it('ends a running statement, and the next one is served', async () => {
    const { database, units } = await openExamined({ deadlineMs: 300 });
    await expect(examine(units, 1, forHours)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining()).toMatchObject({ exceeded: 1, lostThreads: 0 });
  });

  it('holds for all statements of the unit together, also those that wait for each other', async () => {
    const { database, units } = await openExamined({ deadlineMs: 300 });
    const unit = examine(units, 1, (work) => Promise.all(Array.from({ length: 20 }, () => forHours(work))));
    await expect(unit).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining()).toMatchObject({ exceeded: 1, lostThreads: 0 });
  });

  it('holds where the unit waits for something else', async () => {
    const { units } = await openExamined({ deadlineMs: 400 });
    const unit = examine(units, 1, () => new Promise(() => undefined));
    await expect(unit).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await examine(units, 1, count)).toBe(2_000);
  });
});

describe('turns', () => {
  it('are taken by company: the next one is served before the many reads of another', async () => {
    const { database, units } = await openExamined();
    const order: number[] = [];
    const held = await hold(units, 1);
    const many = Array.from({ length: 100 }, () =>
      examine(units, 1, async () => void order.push(await Promise.resolve(1))),
    );
    expect(database.examining()).toMatchObject({ running: 1, waiting: 100 });
    // The second thread is free: one company never gets all.
    await examine(units, 2, async () => void order.push(await Promise.resolve(2)));
    const other = await hold(units, 3);
    const next = examine(units, 2, async () => void order.push(await Promise.resolve(2)));
    await held.end();
    await next;
    expect(order.filter((companyId) => companyId === 1).length).toBeLessThan(3);
    await Promise.all([...many, other.end()]);
    expect(order.filter((companyId) => companyId === 1)).toHaveLength(100);
  });

  it('have a bounded queue for each company, and for all', async () => {
    const { database, units } = await openExamined({ maxWaiting: 4, maxWaitingOfCompany: 3 });
    const held = await Promise.all([hold(units, 1), hold(units, 2)]);
    const waiting = [1, 1, 1, 2].map((companyId) => examine(units, companyId, count));
    await expect(examine(units, 1, count)).rejects.toMatchObject({ code: 'busy' });
    await expect(examine(units, 2, count)).rejects.toMatchObject({ code: 'busy' });
    expect(database.examining()).toMatchObject({ running: 2, waiting: 4 });
    await Promise.all(held.map(({ end }) => end()));
    expect(await Promise.all(waiting)).toEqual([2_000, 2_000, 2_000, 2_000]);
    await expect.poll(() => database.examining()).toMatchObject({ running: 0, waiting: 0 });
  });

  it('are waited for up to a limit', async () => {
    const { database, units } = await openExamined({ maxWaitMs: 50 });
    const held = await hold(units, 1);
    await expect(examine(units, 1, count)).rejects.toMatchObject({
      code: 'busy',
      details: { retryAfter: 1 },
    });
    expect(database.examining().waiting).toBe(0);
    await held.end();
    expect(await examine(units, 1, count)).toBe(2_000);
  });
});

describe('closing the database', () => {
  it('ends what is examined, what waits, and the threads', async () => {
    const { database, units } = await openExamined();
    const running = examine(units, 1, forHours).catch((error: unknown) => error);
    const waiting = examine(units, 1, count).catch((error: unknown) => error);
    await until(() => database.examining().waiting === 1);
    await database.close();
    expect(await running).toMatchObject({ code: 'storage_unavailable' });
    expect(await waiting).toMatchObject({ code: 'busy' });
    expect(database.examining()).toMatchObject({ running: 0, waiting: 0, threads: 0 });
    await expect(examine(units, 1, count)).rejects.toMatchObject({ code: 'busy' });
  });
});
