import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { DomainError } from '../../src/platform/errors.js';
import { SYSTEM } from '../support/server.js';
import { add, addCompany, codeOf, companies, openUnits } from './added-companies.js';

describe('a unit of work that writes', () => {
  it('is kept whole or not at all', async () => {
    const { database, units } = await openUnits();
    await expect(
      units.systemWrite(SYSTEM, async (work) => {
        await addCompany(work, 'half');
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    await add(units, 'whole');
    expect(await companies(database)).toEqual(['whole']);
  });

  it('keeps its changes from readers until it is committed', async () => {
    const { database, units } = await openUnits();
    await units.systemWrite(SYSTEM, async (work) => {
      await addCompany(work, 'soon');
      expect(await companies(database)).toEqual([]);
    });
    expect(await companies(database)).toEqual(['soon']);
  });

  it('waits for the writers that came before it', async () => {
    const { database, units } = await openUnits();
    const names = Array.from({ length: 200 }, (_, n) => `company ${n}`);
    await Promise.all(names.map((name) => add(units, name)));
    expect(await companies(database)).toEqual(names);
  });

  it('runs what follows a commit only where there was one', async () => {
    const { units } = await openUnits();
    const done: string[] = [];
    await add(units, 'first');
    const duplicate = units.systemWrite(SYSTEM, async (work) => {
      work.afterCommit(() => done.push('duplicate'));
      await addCompany(work, 'first');
    });
    expect(await codeOf(duplicate)).toBe('taken');
    await units.systemWrite(SYSTEM, async (work) => {
      work.afterCommit(() => done.push('second'));
      await addCompany(work, 'second');
    });
    expect(done).toEqual(['second']);
  });

  it('answers busy beyond a thousand waiting, and goes on serving those', async () => {
    const { database, units } = await openUnits();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = units.systemWrite(SYSTEM, () => finished);
    await sleep(10);
    const waiting = Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => add(units, `company ${n}`)));
    await sleep(10);
    expect(await codeOf(add(units, 'one too many'))).toBe('busy');
    finish();
    await slow;
    const outcomes = await waiting;
    const stored = outcomes.filter(({ status }) => status === 'fulfilled').length;
    const late = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as DomainError] : []));
    // The last ones are refused after five seconds on a slow machine.
    expect([stored > 0, late.every(({ code }) => code === 'busy')]).toEqual([true, true]);
    expect(await companies(database)).toHaveLength(stored);
  });

  it('is refused after five seconds behind one that does not end, and does not block the next', async () => {
    const { database, units } = await openUnits();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const endless = units.systemWrite(SYSTEM, () => finished);
    await sleep(10);
    expect(await codeOf(add(units, 'impatient'))).toBe('busy');
    finish();
    await endless;
    await add(units, 'next');
    expect(await companies(database)).toEqual(['next']);
  });
});

describe('closing', () => {
  it('lets writes that were asked for finish, and refuses new ones and reads', async () => {
    const { database, units } = await openUnits();
    const asked = [add(units, 'one'), add(units, 'two')];
    await sleep(0);
    const closed = database.close();
    const late = codeOf(add(units, 'three'));
    await Promise.all(asked);
    await closed;
    expect(await late).toBe('busy');
    expect(await codeOf(companies(database))).toBe('storage_unavailable');
  });
});
