import { sql, type RawBuilder } from 'kysely';

import { specialSql } from '../../src/database/company/special-sql.js';
import type { ReadWork } from '../../src/database/work.js';

/** The value of an expression of SQL. */
export const valueOf =
  (expression: (work: ReadWork) => RawBuilder<number>) =>
  async (work: ReadWork): Promise<unknown> =>
    (await sql<{ value: number }>`select ${expression(work)} as value`.execute(specialSql(work).db)).rows;
