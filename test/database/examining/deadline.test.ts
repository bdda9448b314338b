import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import type { ReadWork } from '../../../src/database/work.js';
import { count, examine, openExamined } from '../../support/examining.js';

/** Takes minutes on both databases, also where a company sees only its own rows. */
const long = ({ db }: ReadWork): Promise<unknown> =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000)
    select count(*) from n cross join companies`.execute(db);

describe('a unit that shares its statements among several reads', () => {
  it('refuses each of them with the deadline, also later ones, and is no fault of the database', async () => {
    const { units, database } = await openExamined({ deadlineMs: 100 });
    const refused = Promise.withResolvers<unknown[]>();
    const unit = examine(units, 1, async (work) => {
      const codeOf = (reading: Promise<unknown>): Promise<unknown> =>
        reading.then(
          () => 'read',
          (error: unknown) => (error as { code?: string }).code ?? error,
        );
      // Others of its reads go on when one has failed.
      const codes = [await codeOf(long(work)), await codeOf(count(work)), await codeOf(long(work))];
      refused.resolve(codes);
    });
    await expect(unit).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const late = 'deadline_exceeded';
    expect(await refused.promise).toEqual([late, late, late]);
    expect(database.examining().exceeded).toBe(1);
    expect(database.health.fault).toBeNull();
    expect(await examine(units, 1, count)).toBeGreaterThan(0);
    await database.close();
  });
});
