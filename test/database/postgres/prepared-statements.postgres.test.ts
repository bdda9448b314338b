import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/open.js';
import { StatementNames } from '../../../src/database/postgres/connections/statements.js';
import { createUnits } from '../../../src/database/units.js';
import { type ReadWork, specialSql } from '../../../src/database/work.js';
import { systemClock } from '../../../src/platform/clock.js';
import { addCompany, openNodes } from '../../support/postgres/nodes.js';

const opened = openNodes(1);

it('a statement whose first use under a name fails with its transaction does not fail the next unit', async () => {
  const { caller } = await addCompany(opened.node(0));
  const database = await openDatabase({ server: opened.url }, { connections: 8 });
  const units = createUnits(database, systemClock);
  const failure = sql`select 1 / 0`;
  try {
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
  } finally {
    await database.close();
  }
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
