import { sql } from 'kysely';

import { ddl } from '../ddl.js';
import { index, type Db } from '../table-builders.js';

/** Tables whose ids clients see, with the type that the ledger gives their records; null if it has none. */
const ENTITIES = {
  access_tokens: 'access_token',
  groups: 'group',
  logical_numbers: 'logical_number',
  devices: 'device',
  apps: 'app',
  contents: null,
  app_versions: 'app_version',
  files: 'file',
  parameters: 'parameter',
  metacontents: 'metacontent',
  notifications: 'notification',
  notification_deliveries: null,
  removals: null,
  transactions: null,
} as const;

/**
 * Counts ids, and sequences of the ledger, from 1 in each company, so that their gaps tell nothing of other
 * companies. Records keep their ids; entries of the ledger are renumbered. Foreign keys must not be enforced
 * meanwhile.
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table counters add column last_drawn ${ddl.integer} not null default 0`.execute(db);
  for (const table of Object.keys(ENTITIES)) await rebuild(db, table);
  await rebuildLedger(db);
  for (const [table, entityType] of Object.entries(ENTITIES)) await fillLastIds(db, table, entityType);
  const { rows } = await sql<{ table: string }>`pragma foreign_key_check`.execute(db);
  if (rows.length > 0)
    throw new Error(`A row of ${rows[0]?.table ?? ''} refers to a record that is missing.`);
}

interface SchemaObject {
  readonly type: string;
  readonly sql: string;
}

/** Recreates a table with the primary key (company_id, id), and with its indexes, triggers and statistics. */
async function rebuild(db: Db, table: string): Promise<void> {
  const { rows: objects } = await sql<SchemaObject>`select type, sql from sqlite_schema
    where tbl_name = ${table} and sql is not null order by rowid`.execute(db);
  const { rows: statistics } = await sql<{ idx: string; stat: string }>`select idx, stat from sqlite_stat1
    where tbl = ${table}`.execute(db);
  const [old] = objects.filter(({ type }) => type === 'table');
  const rebuilt = `rebuilt_${table}`;
  await run(
    db,
    replaced(
      replaced(
        replaced(old?.sql ?? '', `"${table}"`, `"${rebuilt}"`),
        '"id" integer primary key autoincrement',
        '"id" integer not null',
      ),
      `constraint "${table}_of_company" unique (`,
      `constraint "${table}_of_company" primary key (`,
    ),
  );
  await sql`insert into ${sql.table(rebuilt)} select * from ${sql.table(table)} order by id`.execute(db);
  await db.schema.dropTable(table).execute();
  await sql`alter table ${sql.table(rebuilt)} rename to ${sql.table(table)}`.execute(db);
  for (const { sql: text } of objects.filter(({ type }) => type !== 'table')) await run(db, text);
  for (const { idx, stat } of statistics) {
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${idx}, ${stat})`.execute(db);
  }
}

function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`${part} is missing in: ${text}`);
  return text.replace(part, by);
}

/**
 * Stores the last id of each company. The ledger has the ids of deleted records, so that no id is given
 * twice.
 */
async function fillLastIds(db: Db, table: string, entityType: string | null): Promise<void> {
  await sql`insert into counters (company_id, name, total, last_drawn)
    select company_id, ${table}, 0, max(id) from (
      select company_id, id from ${sql.table(table)}
      union all select company_id, entity_id from ledger
        where entity_type = ${entityType} and entity_id is not null and company_id is not null)
    group by company_id
    on conflict (company_id, name) do update set last_drawn = excluded.last_drawn`.execute(db);
}

/** Adds `sequence`, which counts the entries of a company; `position` counts all entries of the database. */
async function rebuildLedger(db: Db): Promise<void> {
  for (const change of ['update', 'delete']) await run(db, `drop trigger ledger_no_${change}`);
  const { rows: indexes } = await sql<{ name: string }>`select name from sqlite_schema
    where tbl_name = 'ledger' and type = 'index' and sql is not null order by rowid`.execute(db);
  const { rows: statistics } = await sql<{ idx: string; stat: string }>`select idx, stat from sqlite_stat1
    where tbl = 'ledger'`.execute(db);
  for (const { name } of indexes) await db.schema.dropIndex(name).execute();
  await sql`alter table ledger rename column sequence to position`.execute(db);
  await sql`alter table ledger add column sequence ${ddl.integer} not null default 0`.execute(db);
  await sql`update ledger set sequence = numbered.sequence from (
      select position, row_number() over (partition by company_id order by position) as sequence from ledger
    ) as numbered where numbered.position = ledger.position`.execute(db);
  await sql`create unique index ledger_of_company on ledger (company_id, sequence)`.execute(db);
  for (const column of ['at', 'action', 'entity_type', 'user_id'])
    await index(db, 'ledger', column, 'sequence');
  await index(db, 'ledger', 'entity_id', 'entity_type', 'sequence');
  for (const { idx, stat } of statistics) {
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values ('ledger', ${idx}, ${stat})`.execute(db);
  }
  for (const statement of ddl.appendOnly('ledger')) await run(db, statement);
  await sql`insert into counters (company_id, name, total, last_drawn)
    select coalesce(company_id, 0), 'ledger', 0, max(sequence) from ledger group by 1`.execute(db);
}

async function run(db: Db, statement: string): Promise<void> {
  await sql.raw(statement).execute(db);
}
