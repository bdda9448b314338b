import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import type { Units } from '../../../src/database/work.js';
import { count, examine, openExamined } from '../../support/examining.js';
import { SYSTEM } from '../../support/server.js';

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
        await examine(units, companyId, async (work) => {
          await count(work);
          await sleep(50 + 50 * companyId);
          await count(work);
        });
        ended += 1;
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
