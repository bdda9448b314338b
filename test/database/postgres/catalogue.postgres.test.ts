import Sqlite from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { LONG_COLUMNS } from '../../../src/database/statements.js';
import { schemaDatabase } from '../../support/postgres/schema.js';

const database = schemaDatabase();

/**
 * A part of a table in the catalogue, in a form common to both databases: `column` with `name` or `name not null`, `primary`
 * and `unique` with the columns of a key, `foreign` with for example `group_id -> groups (id) CASCADE`, and `index` with the
 * columns of an index that is not unique.
 */
interface Part {
  readonly table: string;
  readonly kind: 'column' | 'primary' | 'unique' | 'foreign' | 'index';
  readonly text: string;
}

/** An INTEGER PRIMARY KEY is never null, though the catalogue of SQLite does not say so. */
const OF_SQLITE = `with tables as (select name from sqlite_schema
    where type = 'table' and name not like 'sqlite%' and name <> 'applied_migrations'
      and instr(name, '_search') = 0),
  indexes as (select t.name as "table", i.origin, i."unique", i.partial, count(*) - count(x.name) as expressions,
      group_concat(x.name || case when x.desc = 1 and i."unique" = 0 then ' desc' else '' end, ', ') as columns
    from tables as t, pragma_index_list(t.name) as i, pragma_index_xinfo(i.name) as x where x.key = 1
    group by t.name, i.name)
  select t.name as "table", 'column' as kind, c.name || iif(c."notnull" or c.pk, ' not null', '') as text
    from tables as t, pragma_table_xinfo(t.name) as c
  union all select t.name, 'primary', group_concat(c.name, ', ' order by c.pk)
    from tables as t, pragma_table_info(t.name) as c where c.pk > 0 group by t.name
  union all select "table", 'unique', columns || iif(partial, ' where', '') from indexes
    where "unique" = 1 and origin <> 'pk'
  union all select "table", 'index', columns from indexes where "unique" = 0 and expressions = 0
  union all select t.name, 'foreign', group_concat(f."from", ', ' order by f.seq) || ' -> ' || f."table" || ' ('
      || group_concat(f."to", ', ' order by f.seq) || ') ' || f.on_delete
    from tables as t, pragma_foreign_key_list(t.name) as f group by t.name, f.id`;

/** Names of the columns with the numbers in a list, for example `conkey`. */
const namesOf = (table: string, numbers: string, more = ''): string =>
  `(select string_agg(attname${more}, ', ' order by place) from unnest(${numbers}) with ordinality as k (number, place)
    join pg_attribute on attrelid = ${table} and attnum = number`;

const OF_POSTGRES = `with tables as (select oid, relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'),
  indexes as (select relname, indisprimary, indisunique, indpred is not null as is_partial,
      ${namesOf('indrelid', 'indkey', " || case when indoption[place - 1] & 1 = 1 and not indisunique then ' desc' else '' end")}
        where place <= indnkeyatts) as columns
    from pg_index join tables on tables.oid = indrelid
    where indexrelid::regclass::text not like '%\\_search')
  select relname as table, 'column' as kind, attname || case when attnotnull then ' not null' else '' end as text
    from tables join pg_attribute on attrelid = tables.oid where attnum > 0 and not attisdropped
  union all select relname, case when indisprimary then 'primary' when indisunique then 'unique' else 'index' end,
      columns || case when is_partial and indisunique then ' where' else '' end from indexes
  union all select relname, 'foreign', ${namesOf('conrelid', 'conkey')}) || ' -> ' || confrelid::regclass || ' ('
      || ${namesOf('confrelid', 'confkey')}) || ') ' || case confdeltype when 'a' then 'NO ACTION' else 'CASCADE' end
    from tables join pg_constraint on conrelid = tables.oid where contype = 'f'`;

function sqliteParts(file: string): Part[] {
  const db = new Sqlite(file, { readonly: true });
  const parts = db.prepare<[], Part>(OF_SQLITE).all();
  db.close();
  // Texts that may be longer than an entry of an index of PostgreSQL have none there.
  const isLong = ({ text }: Part): boolean => text.split(', ').some((name) => LONG_COLUMNS.has(name));
  return parts.filter((part) => part.kind !== 'index' || !isLong(part));
}

/** Lines such as `groups: unique name`, in alphabetical order. */
const linesOf = (parts: readonly Part[]): string[] =>
  parts.map(({ table, kind, text }) => `${table}: ${kind} ${text}`).sort();

describe('the catalogue', () => {
  let ours: Part[];
  let theirs: Part[];
  beforeAll(async () => {
    // Only PostgreSQL has the table of windows.
    ours = (await database.owner<Part>(OF_POSTGRES)).filter(({ table }) => table !== 'rate_limits');
    const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-catalogue-'));
    const file = join(folder, 'gateway.db');
    await (await openDatabase(file)).close();
    theirs = sqliteParts(file);
    rmSync(folder, { recursive: true });
  });

  it('has the tables of SQLite, with the same columns, primary keys, unique keys and foreign keys', () => {
    const keys = (parts: readonly Part[]): string[] => linesOf(parts.filter(({ kind }) => kind !== 'index'));
    expect(keys(ours).length).toBeGreaterThan(300);
    expect(keys(ours)).toEqual(keys(theirs));
  });

  // Columns after the sort columns are INCLUDE columns in PostgreSQL. An index over the time of device_presence would be
  // written with every update (decisions.md#device-presence).
  it('has an index for each one of SQLite that it can have', () => {
    const indexes = (parts: readonly Part[]): string[] =>
      linesOf(parts.filter(({ table, kind }) => kind === 'index' && table !== 'device_presence'));
    const [own, other] = [indexes(ours), indexes(theirs)];
    expect(own).toHaveLength(other.length);
    // PostgreSQL needs no columns behind those of the order, so several of its indexes may have the same columns.
    const left = own.toSorted((one, another) => another.length - one.length);
    for (const index of other) {
      const found = left.findIndex((each) => index === each || index.startsWith(`${each}, `));
      expect(found, index).not.toBe(-1);
      left.splice(found, 1);
    }
  });

  it('has the view of members with the same columns', async () => {
    const rows = await database.owner<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = 'members'::regclass and attnum > 0 order by attnum",
    );
    expect(rows.map(({ name }) => name).join(', ')).toBe(
      'company_id, role, name, time_zone, sign_in_count, last_sign_in_at, last_sign_in_ip, last_session_at, disabled_at, revision, ' +
        'created_at, updated_at, id, email, account_disabled_at, locked_until',
    );
    const [view] = await database.owner<{ reloptions: string[] }>(
      "select reloptions from pg_class where relname = 'members'",
    );
    expect(view?.reloptions).toEqual(['security_invoker=true']);
  });
});

describe('the types of columns', () => {
  const columnsWhere = async (condition: string): Promise<string[]> => {
    const rows = await database.owner<{ name: string }>(
      `select relname || '.' || attname as name from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') and attnum > 0
          and not attisdropped and (${condition}) order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('are such that texts compare by their bytes', async () => {
    const isText = "atttypid in ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype)";
    expect((await columnsWhere(isText)).length).toBeGreaterThan(80);
    expect(await columnsWhere(`${isText} and attcollation <> '"C"'::regcollation`)).toEqual([]);
  });

  it('are such that instants have a zone and numbers are wide', async () => {
    expect(
      await columnsWhere("atttypid in ('timestamp'::regtype, 'date'::regtype, 'time'::regtype)"),
    ).toEqual([]);
    const narrow = "atttypid in ('int2'::regtype, 'int4'::regtype, 'float4'::regtype, 'numeric'::regtype)";
    expect(await columnsWhere(narrow)).toEqual(['rate_limits.points']);
  });

  it('are bigint, boolean, timestamptz, bytea, json, jsonb or text', async () => {
    const known = '{bigint,boolean,timestamptz,bytea,json,jsonb,text,varchar,integer}';
    expect(await columnsWhere(`atttypid <> all('${known}'::regtype[])`)).toEqual([]);
    expect(await columnsWhere("relkind = 'r' and atttypid = 'json'::regtype")).toEqual([
      'devices.meta',
      'job_rejections.params',
      'ledger.after',
      'ledger.before',
      'metacontents.value',
      'one_time_codes.membership',
      'saved_filters.filter',
      'transactions.parsed',
      'users.preferences',
    ]);
  });
});
