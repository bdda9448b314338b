import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Database } from '../../src/database/database.js';
import { DRAWING_TABLES } from '../../src/database/statements.js';
import { sqliteDatabase } from '../support/databases/sqlite-database.js';

let database: Database;
beforeEach(() => {
  database = sqliteDatabase();
});

const rowsOf = async <R>(query: string): Promise<R[]> =>
  (await sql.raw<R>(query).execute(database.reads)).rows;

interface ForeignKey {
  readonly id: number;
  readonly table: string;
  readonly from: string;
  readonly to: string;
}

const namesOf = async (query: string): Promise<string[]> =>
  (await rowsOf<{ name: string }>(query)).map(({ name }) => name);

const tenantTables = (): Promise<string[]> =>
  namesOf(`select t.name from sqlite_schema as t join pragma_table_info(t.name) as c on c.name = 'company_id'
    where t.type = 'table' order by 1`);

/** Column lists that are unique in a table, its primary key included. */
async function uniqueIn(table: string): Promise<string[][]> {
  const keys = await namesOf(
    `select name from pragma_index_list('${table}') where "unique" = 1 and partial = 0`,
  );
  return await Promise.all(
    keys.map((key) => namesOf(`select name from pragma_index_info('${key}') order by seqno`)),
  );
}

/** Column that numbers the ledger entries of all companies; `sequence` numbers those of one company. */
const POSITION = 'position';

describe('AT-25 the fences between companies', () => {
  it('stand around a good many tables', async () => {
    expect((await tenantTables()).length).toBeGreaterThan(15);
  });

  it('give every record a key that begins with its company', async () => {
    const without: string[] = [];
    for (const table of await tenantTables()) {
      const primary = await namesOf(
        `select name from pragma_table_info('${table}') where pk > 0 order by pk`,
      );
      const unique = await uniqueIn(table);
      const whole = (key: readonly string[]): boolean =>
        key[0] === 'company_id' && primary.every((column) => column === POSITION || key.includes(column));
      if (!whole(primary) && !unique.some(whole)) without.push(table);
    }
    expect(without).toEqual([]);
  });

  it('make every link between records of companies go within one', async () => {
    const tenants = await tenantTables();
    const open: string[] = [];
    for (const table of tenants) {
      const keys = await rowsOf<ForeignKey>(`select * from pragma_foreign_key_list('${table}')`);
      for (const id of new Set(keys.map((key) => key.id))) {
        const columns = keys.filter((key) => key.id === id);
        const target = columns[0]?.table ?? '';
        const fenced = columns.some(({ from, to }) => from === 'company_id' && to === 'company_id');
        if (tenants.includes(target) && !fenced) open.push(`${table} to ${target}`);
      }
    }
    expect(open).toEqual([]);
  });

  it('leave no column that names another record without a link, but history', async () => {
    const history = [
      'ledger',
      'transactions',
      'notifications',
      'idempotency_keys',
      // Tables with the group at the time of a transaction, and versions granted to and held by terminals.
      'transaction_group_totals',
      'terminal_versions',
      'app_version_totals',
      // The job of the last wave, and the terminals that were drawn: they may be deleted before the rollout.
      'rollouts',
      'rollout_terminals',
    ];
    const loose: string[] = [];
    for (const table of (await tenantTables()).filter((name) => !history.includes(name))) {
      const keys = await rowsOf<ForeignKey>(`select * from pragma_foreign_key_list('${table}')`);
      const linked = keys.map((key) => key.from);
      for (const column of await namesOf(`select name from pragma_table_info('${table}')`)) {
        const names = column.endsWith('_id') && column !== 'company_id';
        if (names && !linked.includes(column)) loose.push(`${table}.${column}`);
      }
    }
    // A token may be deleted before the one that it has replaced, a rule before its alerts, and a job before the tokens
    // that it has issued, and before the schedule that it was started by; a
    // command before the log that it has asked for.
    expect(loose).toEqual([
      'access_tokens.replaced_by_id',
      'alerts.rule_id',
      'device_logs.command_id',
      'device_tokens.job_id',
      'export_schedules.job_id',
    ]);
  });
});

/** Two companies, each with one of everything that can be linked; ids of the second are above the first's. */
async function fillTwoCompanies(): Promise<void> {
  const audit = "1, 0, 0, null, 'api'";
  const audited = 'revision, created_at, updated_at, created_by, created_via';
  for (const company of [1, 2]) {
    for (const statement of [
      `insert into companies (id, name, created_at, updated_at) values (${company}, 'company ${company}', 0, 0)`,
      `insert into groups (id, company_id, name, ${audited}) values (${company}, ${company}, 'g', ${audit})`,
      `insert into logical_numbers (id, company_id, number, ${audited})
        values (${company}, ${company}, 'n', ${audit})`,
      `insert into devices (id, company_id, serial_number, enabled, meta, ${audited})
        values (${company}, ${company}, 's', 1, '{}', ${audit})`,
      `insert into apps (id, company_id, name, communication_format, kind, language, ${audited})
        values (${company}, ${company}, 'a', 'http', 'standard', 'ruby', ${audit})`,
      `insert into contents (id, company_id, size, crc, sha256, created_at)
        values (${company}, ${company}, 0, '', '', 0)`,
      `insert into files (id, company_id, name, file_type, content_id, size, crc, ${audited})
        values (${company}, ${company}, 'f', 'asset', ${company}, 0, '', ${audit})`,
      `insert into app_versions (id, company_id, app_id, number, displayable, uuid, size, crc, ${audited})
        values (${company}, ${company}, ${company}, '1', 0, 'u', 0, '', ${audit})`,
      `insert into notifications (id, company_id, content, range, kind, expires_at, ${audited})
        values (${company}, ${company}, 'c', 'group', 'show', 0, ${audit})`,
    ]) {
      await sql.raw(statement).execute(database.writes);
    }
  }
}

const KEYED = 'revision, created_at, updated_at, created_via';

/** Links of a record of company 1 to the record `id`. */
const links = (id: number): readonly string[] => [
  `update logical_numbers set group_id = ${id} where id = 1`,
  `update devices set logical_number_id = ${id} where id = 1`,
  `update files set content_id = ${id} where id = 1`,
  `update app_versions set app_id = ${id} where id = 1`,
  `update app_versions set content_id = ${id} where id = 1`,
  `insert into app_version_groups (company_id, app_version_id, group_id) values (1, 1, ${id})`,
  `insert or ignore into app_version_groups (company_id, app_version_id, group_id) values (${id}, 1, ${id})`,
  `insert into group_default_versions (company_id, app_version_id, group_id) values (1, 1, ${id})`,
  `insert into app_version_modules (company_id, app_version_id, module_id) values (1, 1, ${id})`,
  `insert into app_version_files (company_id, app_version_id, file_id) values (1, 1, ${id})`,
  `insert into logical_number_app_versions (company_id, logical_number_id, app_version_id) values (1, 1, ${id})`,
  `insert into content_chunks (company_id, content_id, sequence, bytes) values (1, ${id}, 0, x'00')`,
  `insert into notification_deliveries (id, company_id, notification_id, logical_number_id, lane, state, queued_at, sequence)
    values (9, 1, 1, ${id}, 1, 'queued', 0, 1)`,
  `insert into parameters (id, company_id, group_id, key, value, ${KEYED}) values (9, 1, ${id}, 'k', 'v', 1, 0, 0, 'api')`,
  `insert into metacontents (id, company_id, logical_number_id, key, value, ${KEYED})
    values (9, 1, ${id}, 'k', '1', 1, 0, 0, 'api')`,
];

describe('AT-25 raw SQL', () => {
  beforeEach(fillTwoCompanies);

  it.each(links(2))('cannot link two companies: %s', async (statement) => {
    await expect(sql.raw(statement).execute(database.writes)).rejects.toThrow(
      'FOREIGN KEY constraint failed',
    );
  });

  it('links within one company', async () => {
    for (const statement of links(1)) await sql.raw(statement).execute(database.writes);
    expect(await rowsOf('pragma foreign_key_check')).toEqual([]);
  });

  it('cannot move a record to another company', async () => {
    await expect(
      sql.raw('update groups set company_id = 2 where id = 1').execute(database.writes),
    ).rejects.toThrow('a record stays with its company');
  });
});

describe('the ledger', () => {
  beforeEach(async () => {
    await sql`insert into ledger (sequence, at, channel, action, entity_type) values (1, 0, 'api', 'create', 'group')`.execute(
      database.writes,
    );
  });

  it.each([
    'update ledger set action = null',
    "update ledger set action = 'nothing'",
    'update ledger set sequence = 7',
    'update ledger set position = 7',
    'delete from ledger',
    "insert or replace into ledger (position, sequence, at, channel, action, entity_type) values (1, 1, 0, '', '', '')",
    `insert into ledger (position, sequence, at, channel, action, entity_type) values (1, 1, 0, '', '', '')
      on conflict (position) do update set action = 'nothing'`,
  ])('can only be added to: %s', async (statement) => {
    const before = await rowsOf('select * from ledger');
    expect(before).toHaveLength(1);
    await expect(sql.raw(statement).execute(database.writes)).rejects.toThrow('ledger can only be added to');
    expect(await rowsOf('select * from ledger')).toEqual(before);
  });

  it('never gives a position twice', async () => {
    for (let n = 0; n < 3; n += 1) {
      await sql`insert into ledger (sequence, at, channel, action, entity_type) values (2, 0, 'api', 'x', 'y')`.execute(
        database.writes,
      );
    }
    const rows = await rowsOf<{ position: number }>('select position from ledger order by position');
    expect(rows.map((row) => row.position)).toEqual([1, 2, 3, 4]);
  });
});

it.each([...DRAWING_TABLES])(
  'the trigger that counts rows of %s keeps the number that a row has drawn',
  async (table) => {
    const [trigger] = await rowsOf<{ sql: string }>(
      `select sql from sqlite_schema where type = 'trigger' and name = '${table}_counted_in'`,
    );
    expect(trigger?.sql).toContain('last_drawn = max(last_drawn, excluded.last_drawn)');
  },
);
