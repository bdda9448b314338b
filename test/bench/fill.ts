import Sqlite from 'better-sqlite3';

import { openDatabase } from '../../src/database/sqlite/open.js';
import { hashToken } from '../../src/domain/people/access-token/access-token.model.js';
import { DAY, HOUR } from '../../src/platform/clock.js';
import { drawnBefore, isNumbered } from '../support/drawn-ids.js';

export type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** Inserts a row by plain SQL; returns its id. */
export type Insert = (table: string, row: Row) => number;

const CREATED_BEFORE = 90 * DAY;
/** Ids are drawn in parts, since each drawing is a statement of its own. */
const DRAWN = 100;

/**
 * Makes a database and fills it in one transaction, by plain SQL, which is faster than the services. SQL can read
 * the tables of the file `source` as `src.groups`.
 */
export async function fillDatabase<T>(
  file: string,
  fill: (insert: Insert, database: Sqlite.Database) => T,
  source: string | null = null,
): Promise<T> {
  await (await openDatabase(file)).close();
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -500000');
  if (source !== null) database.prepare('attach ? as src').run(source);
  const filled = database.transaction(() => fill(inserter(database), database))();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return filled;
}

function inserter(database: Sqlite.Database): Insert {
  const statements = new Map<string, Sqlite.Statement>();
  const drawn = new Map<string, { last: number; left: number }>();
  const drawId = (table: string, company: number): number => {
    const key = `${table} ${company}`;
    let ids = drawn.get(key);
    if (ids === undefined || ids.left === 0) {
      ids = { last: drawnBefore(database, table, company, DRAWN), left: DRAWN };
      drawn.set(key, ids);
    }
    ids.left -= 1;
    return (ids.last += 1);
  };
  return (table, given) => {
    const id = isNumbered(table) ? drawId(table, Number(given.company_id)) : null;
    const row = id === null ? given : { ...given, id };
    const names = Object.keys(row);
    const key = `${table} ${names.length}`;
    let statement = statements.get(key);
    if (statement === undefined) {
      const text = `insert into ${table} (${names.join(', ')}) values (${names.map((name) => `@${name}`).join(', ')})`;
      statement = database.prepare(text);
      statements.set(key, statement);
    }
    const { lastInsertRowid } = statement.run(row);
    return id ?? Number(lastInsertRowid);
  };
}

export const audit = (now: number, user = 1): Row => ({
  revision: 1,
  created_at: now - CREATED_BEFORE,
  updated_at: now - DAY,
  created_by: user,
  created_via: 'api',
});

/** Inserts a company with one administrator who has the token; returns the id of the company, which is the user's too. */
export function insertMember(insert: Insert, name: string, token: string, now: number): number {
  const company = insert('companies', { name, created_at: now, updated_at: now });
  insert('users', {
    id: company,
    email: `${name}@bench.example`,
    name,
    time_zone: 'UTC',
    password_hash: 'none',
    sign_in_count: 0,
    failed_sign_ins: 0,
    revision: 1,
    created_at: now,
    updated_at: now,
  });
  insert('memberships', { company_id: company, user_id: company, role: 'admin', created_at: now });
  insertToken(insert, company, token, now);
  return company;
}

/** Inserts a token for the user of a company, who has the same id. */
export function insertToken(insert: Insert, company: number, token: string, now: number): void {
  insert('access_tokens', {
    company_id: company,
    user_id: company,
    kind: 'named',
    name: 'bench',
    scopes: '["read","write","admin","ingest"]',
    token_hash: hashToken(token),
    last_four: token.slice(-4),
    created_at: now,
    last_used_at: now + HOUR,
  });
}
