import { sql } from 'kysely';
import { copyFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { createUnits } from '../../../src/database/units.js';
import type { ReadWork } from '../../../src/database/work.js';
import { testClock } from '../../support/clock.js';
import { databaseFile } from '../../support/databases/sqlite-place.js';
import { count, examine, forHours, openExamined, until } from '../../support/examining.js';
import { removeFolder, scratchFolder } from '../../support/scratch.js';

describe('a reader thread', () => {
  it('starts when a unit needs it, and reports its statements like others', async () => {
    const { database, units } = await openExamined();
    const statements: string[] = [];
    database.watchStatements((statement) => statements.push(statement));
    expect(database.examining()).toMatchObject({ threads: 0 });
    expect(await examine(units, 1, count)).toBe(2_000);
    await expect.poll(() => database.examining()).toMatchObject({ threads: 1, running: 0, waiting: 0 });
    expect(statements).toEqual(['select count(*) as "total" from "companies"']);
  });

  it('is free again after the deadline of a running statement', async () => {
    const { database, units } = await openExamined({ deadlineMs: 300 });
    await expect(examine(units, 1, forHours)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await examine(units, 1, count)).toBe(2_000);
    expect(database.examining()).toMatchObject({ threads: 1, exceeded: 1, lostThreads: 0 });
  });

  it('tells that it cannot write', async () => {
    const { units } = await openExamined();
    const write = examine(units, 1, ({ db }) => sql`delete from companies`.execute(db));
    await expect(write).rejects.toThrow('cannot modify');
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

  it('is not started on another file than the one that the server has opened', async () => {
    const folder = scratchFolder();
    const file = databaseFile(folder);
    const database = await openDatabase(file, { exclusive: true });
    const units = createUnits(database, testClock());
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    const read = examine(units, 1, count);
    await expect(read).rejects.toMatchObject({ code: 'storage_unavailable' });
    await database.close();
    removeFolder(folder);
  });
});

describe('closing the database', () => {
  it('leaves no log where something is examined', async () => {
    const { database, units } = await openExamined();
    const running = examine(units, 1, forHours).catch((error: unknown) => error);
    await until(() => database.examining().running === 1);
    await database.close();
    expect(await running).toMatchObject({ code: 'storage_unavailable' });
    expect(statSync(`${database.name}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });
});
