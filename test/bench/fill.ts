import Sqlite from 'better-sqlite3';
import type { Selectable } from 'kysely';

import { openDatabase } from '../../src/database/sqlite/open.js';
import { NUMBERED_TABLES } from '../../src/database/statements.js';
import { hashToken } from '../../src/domain/people/access-token/access-token.model.js';
import { DAY, HOUR } from '../../src/platform/clock.js';
import type { Tables } from '../../src/schema/schema.js';

/** Rows of a table: an SQL expression for each column, over the rows of `from`. */
export interface Filling {
  readonly table: keyof Tables;
  readonly columns: Readonly<Record<string, string | number>>;
  readonly from: string;
}

/** Does not compile with a column that the table does not have. */
export const fill = <Name extends keyof Tables>(
  table: Name,
  columns: Readonly<Partial<Record<keyof Selectable<Tables[Name]>, string | number>>>,
  from: string,
): Filling => ({ table, columns: columns as Filling['columns'], from });

/** Rows to fill from, with `n` from 0 to `count - 1`. */
export const series = (count: number): string =>
  `(with recursive s(n) as (select 0 where ${count} > 0 union all select n + 1 from s where n < ${count - 1})
    select n from s)`;

/**
 * Makes a database and fills it in one transaction, by plain SQL, which is faster than the services. `from` can read the
 * tables of the file `source` as `src.groups`. Resolves to the number of rows by table.
 */
export async function fillDatabase(
  file: string,
  fillings: readonly Filling[],
  source: string | null = null,
): Promise<ReadonlyMap<string, number>> {
  await (await openDatabase(file)).close();
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  if (source !== null) database.prepare('attach ? as src').run(source);
  const rows = new Map<string, number>();
  database.transaction(() => {
    for (const { table, columns, from } of fillings) {
      const names = Object.keys(columns).map((name) => `"${name}"`);
      const query = `select ${Object.values(columns).join()} from ${from}`;
      const { changes } = database.prepare(`insert into ${table} (${names.join()}) ${query}`).run();
      rows.set(table, (rows.get(table) ?? 0) + changes);
    }
    for (const table of [...NUMBERED_TABLES, 'ledger']) markDrawn(database, table);
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return rows;
}

/** Later ids and sequences come after those that were filled in. */
function markDrawn(database: Sqlite.Database, table: string): void {
  const column = table === 'ledger' ? 'sequence' : 'id';
  database
    .prepare(
      `insert into counters (company_id, name, total, last_drawn)
       select company_id, '${table}', 0, max(${column}) from ${table} group by company_id
       on conflict (company_id, name) do update set last_drawn = excluded.last_drawn`,
    )
    .run();
}

const NOW = Date.now();

/** Audit columns of a record that was created 90 days ago and changed yesterday. */
export const audit = (user = 1) => ({
  revision: 1,
  created_at: NOW - 90 * DAY,
  updated_at: NOW - DAY,
  created_by: user,
  created_via: `'api'`,
});

/** A company, and its administrator, who has the same id and these tokens. */
export function companyOf(id: number, name: string, tokens: readonly string[]): readonly Filling[] {
  const made = { created_at: NOW, updated_at: NOW };
  const user = { id, email: `'${name}@bench.example'`, name: `'${name}'`, time_zone: `'UTC'` };
  const signIns = { password_hash: `'none'`, sign_in_count: 0, failed_sign_ins: 0 };
  return [
    fill('companies', { id, name: `'${name}'`, ...made }, series(1)),
    fill('users', { ...user, ...signIns, revision: 1, ...made }, series(1)),
    fill('memberships', { company_id: id, user_id: id, role: `'admin'`, created_at: NOW }, series(1)),
    tokensOf(id, tokens),
  ];
}

/** Tokens with every scope for the user of a company who has the same id. */
export function tokensOf(company: number, tokens: readonly string[]): Filling {
  const hashes = JSON.stringify(tokens.map((token) => [hashToken(token), token.slice(-4)]));
  return fill(
    'access_tokens',
    {
      id: 'key + 1',
      company_id: company,
      user_id: company,
      kind: `'named'`,
      name: `'bench'`,
      scopes: `'["read","write","admin","ingest","terminals"]'`,
      token_hash: 'value ->> 0',
      last_four: 'value ->> 1',
      created_at: NOW,
      // In the future, so that no request writes it.
      last_used_at: NOW + HOUR,
    },
    `json_each('${hashes}')`,
  );
}
