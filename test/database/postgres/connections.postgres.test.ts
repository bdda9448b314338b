import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { specialSql } from '../../../src/database/company/company-rows.js';
import { openDatabase } from '../../../src/database/open.js';
import { StatementNames } from '../../../src/database/postgres/connections/statements.js';
import { createUnits } from '../../../src/database/units.js';
import type { ReadWork, Units } from '../../../src/database/work.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import { systemClock } from '../../../src/platform/clock.js';
import type { Caller } from '../../../src/platform/requests.js';
import { addCompany, openNodes, present } from '../../support/postgres/nodes.js';

const opened = openNodes(1);

type Kind = 'several' | 'failing' | 'write' | 'failing write' | 'above' | 'system' | 'examine';

interface Step {
  readonly kind: Kind;
  readonly company: number;
  /** Whether it begins before the one before it has ended. */
  readonly isParallel: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Kind[]>(
    ...(['several', 'several', 'failing', 'write', 'failing write'] as const),
    ...(['above', 'system', 'examine'] as const),
  ),
  company: fc.nat(2),
  isParallel: fc.boolean(),
});

/** The companies whose groups a statement sees without any condition. */
async function visible(work: Pick<ReadWork, 'db'>): Promise<string> {
  const seen = sql<{ company_id: number }>`select distinct company_id from groups order by company_id`;
  return (await seen.execute(specialSql(work as ReadWork).db)).rows.map((row) => row.company_id).join();
}

const failure = sql`select 1 / 0`;

async function take(units: Units, { kind, company }: Step, callers: readonly Caller[]): Promise<void> {
  const caller = present(callers[company]);
  const own = String(caller.companyId);
  const all = callers
    .map(({ companyId }) => companyId)
    .sort((one, other) => one - other)
    .join();
  switch (kind) {
    case 'examine':
      expect(await units.read(caller, visible, { examines: true })).toBe(own);
      break;
    case 'several':
      await units.read(caller, async (work) => {
        expect(await visible(work)).toBe(own);
        expect(await visible(work)).toBe(own);
      });
      break;
    case 'failing':
      await expect(
        units.read(caller, async (work) => {
          // One of them is still running when the unit has ended.
          await Promise.all([failure.execute(specialSql(work).db), visible(work)]);
        }),
      ).rejects.toThrow('division');
      break;
    case 'write':
    case 'failing write': {
      const changed = units.write(caller, async (work) => {
        expect(await visible(work)).toBe(own);
        if (kind === 'failing write') await failure.execute(specialSql(work).db);
      });
      if (kind === 'write') await changed;
      else await expect(changed).rejects.toThrow('division');
      break;
    }
    case 'above':
      await units.write(caller, async (work) => {
        expect(await work.acrossCompanies(visible)).toBe(all);
        expect(await visible(work)).toBe(own);
      });
      break;
    case 'system':
      expect(await units.systemRead(visible)).toBe(all);
  }
}

it('settings that a connection keeps never show a unit the rows of another company', async () => {
  const callers = await Promise.all([1, 2, 3].map(async () => (await addCompany(opened.node(0))).caller));
  for (const caller of callers) {
    await opened.node(0).units.write(caller, (work) => createGroup(work, { name: 'group' }));
  }
  await onFewConnections((units) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
        let running: Promise<void>[] = [];
        for (const each of steps) {
          if (!each.isParallel) {
            await Promise.all(running);
            running = [];
          }
          running.push(take(units, each, callers));
        }
        await Promise.all(running);
      }),
      { numRuns: 25 },
    ),
  );
});

async function onFewConnections(use: (units: Units) => Promise<void>): Promise<void> {
  const database = await openDatabase({ server: opened.url }, { connections: 8 });
  try {
    await use(createUnits(database, systemClock));
  } finally {
    await database.close();
  }
}

it('a statement whose first use under a name fails with its transaction does not fail the next unit', async () => {
  const { caller } = await addCompany(opened.node(0));
  await onFewConnections(async (units) => {
    for (let text = 0; text < 20; text += 1) {
      const statement = sql<{ value: number }>`select ${sql.lit(text)} as value`;
      const run = async ({ db }: Pick<ReadWork, 'db'>) => (await statement.execute(db)).rows[0]?.value;
      // From its second use, a statement has a name.
      expect(await units.read(caller, (work) => run(specialSql(work)))).toBe(text);
      const failed = units.read(caller, async (work) => {
        const { db } = specialSql(work);
        await Promise.all([failure.execute(db), run({ db })]);
      });
      await expect(failed).rejects.toThrow('division');
      // On the same connection, while the statement of the unit that failed is not answered.
      expect(await units.read(caller, (work) => run(specialSql(work)))).toBe(text);
    }
  });
});

it.each([
  ['select id, name from groups where company_id = $1', true],
  ['select count(*) from (select * from groups) as own', true],
  ['select * from groups', false],
  ['select g.*, 1 as one from groups as g', false],
  ['update "groups" set "name" = $1 where "id" = $2 returning *', false],
])('%s gets a name at its second use: %s', (text, isNamed) => {
  const names = new StatementNames();
  expect(names.of(text)).toBeNull();
  expect(names.of(text) !== null).toBe(isNamed);
});
