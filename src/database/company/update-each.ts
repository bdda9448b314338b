import { sql } from 'kysely';

import { yieldToEventLoop } from '../../platform/concurrency/event-loop.js';
import type { Row, Tables, Written } from '../../schema/schema.js';
import { insertRows } from '../statements/cached-query.js';
import type { SystemWriteWork } from '../work.js';
import type { CompanyTableName, OfCompany } from './company-rows.js';

/** Rows per statement: more would hold the event loop for too long. */
const ROWS_PER_STATEMENT = 200;

/** Values of a row with its id and every column that has no default. */
type WholeRow<Name extends CompanyTableName> = Omit<Written<Tables[Name]>, 'company_id'>;

/**
 * Sets `columns` of each row to its own values. The company must have the rows; other columns must be given,
 * but are not changed. Returns the changed rows in undefined order. Runs one statement per 200 rows, and lets
 * other work run in between. The statement is an INSERT in which each row conflicts: in both databases, its
 * values have the types of the columns.
 */
export async function updateEach<Name extends CompanyTableName>(
  work: OfCompany<SystemWriteWork>,
  table: Name,
  rows: readonly WholeRow<Name>[],
  columns: readonly (string & keyof WholeRow<Name>)[],
): Promise<Row<Name>[]> {
  const changes = sql.join(columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  const ending = sql`on conflict (company_id, id) do update set ${changes} returning *`;
  const returned: Row<Name>[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    if (start > 0) await yieldToEventLoop();
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const owned = part.map((row) => ({ ...row, company_id: work.caller.companyId }));
    returned.push(...(await insertRows<Row<Name>>(work.db, table, owned, { name: null, sql: ending })));
  }
  return returned;
}
