import { sql } from 'kysely';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { instant } from '../../../src/database/storage.js';
import { createUnits } from '../../../src/database/units.js';
import type { ReadWork, Units } from '../../../src/database/work.js';
import { yieldToEventLoop } from '../../../src/platform/concurrency/event-loop.js';
import { DomainError } from '../../../src/platform/errors.js';
import { testClock } from '../../support/clock.js';
import { databaseFile } from '../../support/databases/sqlite-place.js';
import { callerOf, count, examine, forHours, hold, openExamined, until } from '../../support/examining.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';
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

  it('refuses statements after its end', async () => {
    const { units } = await openExamined();
    const { db } = await examine(units, 1, (work) => Promise.resolve(work));
    await expect(count({ db })).rejects.toThrow('The unit of work has ended.');
  });
});

describe('the deadline of a read unit that examines', () => {
  it('holds for all statements of the unit together, also those that wait for each other', async () => {
    const { database, units } = await openExamined({ deadlineMs: 300 });
    const unit = examine(units, 1, (work) => Promise.all(Array.from({ length: 20 }, () => forHours(work))));
    await expect(unit).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining()).toMatchObject({ threads: 1, exceeded: 1, lostThreads: 0 });
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
    const { database, units } = await openExamined({ maxWaiting: 4, maxWaitingOfKey: 3 });
    const held = await Promise.all([hold(units, 1), hold(units, 2)]);
    const waiting = [1, 1, 1, 2].map((companyId) => examine(units, companyId, count));
    await expect(examine(units, 1, count)).rejects.toMatchObject({ code: 'busy' });
    await expect(examine(units, 2, count)).rejects.toMatchObject({ code: 'busy' });
    expect(database.examining()).toMatchObject({ running: 2, waiting: 4 });
    await Promise.all(held.map(({ end }) => end()));
    expect(await Promise.all(waiting)).toEqual([2_000, 2_000, 2_000, 2_000]);
    expect(database.examining()).toMatchObject({ running: 0, waiting: 0 });
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
  it('ends what is examined, what waits, and the threads, and leaves no log', async () => {
    const { database, units } = await openExamined();
    const running = examine(units, 1, forHours).catch((error: unknown) => error);
    const waiting = examine(units, 1, count).catch((error: unknown) => error);
    await until(() => database.examining().waiting === 1);
    await database.close();
    expect(statSync(`${database.name}-wal`, { throwIfNoEntry: false })).toBeUndefined();
    expect(await running).toMatchObject({ code: 'storage_unavailable' });
    expect(await waiting).toMatchObject({ code: 'busy' });
    expect(database.examining()).toMatchObject({ running: 0, waiting: 0, threads: 0 });
    await expect(examine(units, 1, count)).rejects.toMatchObject({ code: 'busy' });
  });
});

describe('a reader thread', () => {
  it('starts when a unit needs it, and reports its statements like others', async () => {
    const { database, units } = await openExamined();
    const statements: string[] = [];
    database.watchStatements((statement) => statements.push(statement));
    expect(database.examining()).toMatchObject({ threads: 0 });
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining()).toMatchObject({ threads: 1, running: 0, waiting: 0 });
    expect(statements).toEqual(['select count(*) as "total" from "companies"']);
  });

  it('cannot write', async () => {
    const { units } = await openExamined();
    const write = examine(units, 1, ({ db }) => sql`delete from companies`.execute(db));
    await expect(write).rejects.toThrow('cannot modify');
    expect(await units.systemRead(count)).toBe(2_000);
  });

  it('has a lower priority than the event loop, where systems have priorities of threads', async () => {
    const { units } = await openExamined();
    const nicenessOf = (thread: string): number => {
      const status = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[16]);
    };
    await examine(units, 1, count);
    const own = getPriority();
    const [ofEventLoop, ofAll] =
      process.platform === 'linux'
        ? [nicenessOf(String(process.pid)), readdirSync('/proc/self/task').map(nicenessOf)]
        : [own, [own, own + 5]];
    expect([ofEventLoop, new Set(ofAll)]).toEqual([own, new Set([own, own + 5])]);
  });

  it('ends when it was not used for some time', async () => {
    const { database, units } = await openExamined({ idleMs: 50 });
    await examine(units, 1, count);
    await expect.poll(() => database.examining().threads).toBe(0);
    expect(await examine(units, 1, count)).toBe(2_000);
  });

  it('that runs out of memory fails its unit only, and is replaced', async () => {
    const { database, units, lost } = await openExamined({ maxHeapMiB: 24, deadlineMs: 60_000 });
    const large = ({ db }: ReadWork): Promise<unknown> =>
      sql`select a.name as name, b.name as other, a.id as id from companies as a, companies as b limit 300000`.execute(
        db,
      );
    const other = examine(units, 2, count);
    await expect(examine(units, 1, large)).rejects.toMatchObject({ code: 'busy' });
    expect(await other).toBe(2_000);
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining().lostThreads).toBe(1);
    expect(lost).toMatchObject([{ code: 'ERR_WORKER_OUT_OF_MEMORY' }]);
  });

  it('returns at most 32 MiB for one statement', async () => {
    const { units } = await openExamined();
    const wide = examine(units, 1, ({ db }) =>
      sql`select printf('%.10000c', '-') as text from companies as a, companies as b limit 4000`.execute(db),
    );
    await expect(wide).rejects.toMatchObject({ code: 'malformed' });
    expect(await examine(units, 1, count)).toBe(2_000);
  });

  it('tells errors of SQLite like other connections', async () => {
    const { units } = await openExamined();
    const wrong = examine(units, 1, ({ db }) => sql`select nothing from nowhere`.execute(db));
    await expect(wrong).rejects.toMatchObject({ name: 'SqliteError', code: 'SQLITE_ERROR' });
  });

  it.each([
    ['at once', 0],
    ['when its reply and its end arrive together', 1],
  ])(
    'is not started on another file than the one that the server has opened, which it says %s',
    async (_when, seconds) => {
      const folder = scratchFolder();
      const file = databaseFile(folder);
      const database = await openDatabase(file, { exclusive: true });
      const units = createUnits(database, testClock());
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      const read = expect(examine(units, 1, count)).rejects.toMatchObject({ code: 'storage_unavailable' });
      await yieldToEventLoop();
      execFileSync('sleep', [String(seconds)]);
      await read;
      await database.close();
      removeFolder(folder);
    },
  );
});

/** False for a unit that was refused since too many are read. */
function orBusy(error: unknown): false {
  if (error instanceof DomainError && error.code === 'busy') return false;
  throw error;
}

/** How often the log was begun anew: a number in its header. */
function restartsOf(file: string): number {
  const log = openSync(`${file}-wal`, 'r');
  const number = Buffer.alloc(4);
  readSync(log, number, 0, 4, 12);
  closeSync(log);
  return number.readUInt32BE(0);
}

/** Adds 2 MB to the log. */
async function write(units: Units): Promise<void> {
  await units.systemWrite(SYSTEM, async ({ db }) => {
    const company = { name: '-'.repeat(1_000_000), created_at: new Date(0), updated_at: new Date(0) };
    await db.insertInto('companies').values(company).execute();
    await db.deleteFrom('companies').where('name', '=', company.name).execute();
  });
}

describe('LS-02 the write-ahead log', () => {
  it('is begun anew while at every moment some unit examines many rows', async () => {
    const { database, units } = await openExamined();
    let reading = true;
    const isReading = (): boolean => reading;
    let ended = 0;
    const read = async (companyId: number): Promise<void> => {
      while (isReading()) {
        const unit = examine(units, companyId, async (work) => {
          await count(work);
          await sleep(50 + 50 * companyId);
          await count(work);
        });
        // A reader that waits too long for a thread asks again, as clients do.
        if (await unit.then(() => true, orBusy)) ended += 1;
      }
    };
    const readers = [1, 1, 2, 2, 3].map(read);
    const before = restartsOf(database.name);
    for (let n = 0; n < 2_000 && restartsOf(database.name) < before + 3; n += 1) {
      await write(units);
      await sleep(20);
    }
    const restarts = restartsOf(database.name) - before;
    reading = false;
    await Promise.all(readers);
    expect(restarts).toBe(3);
    expect(ended).toBeGreaterThan(2);
  });
});
