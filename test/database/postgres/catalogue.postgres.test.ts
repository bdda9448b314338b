import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase } from '../../../src/database/sqlite/open.js';
import { schemaDatabase } from '../../support/postgres/schema.js';
import { sqliteShapes, type TableShape } from './sqlite-catalogue.js';

const database = schemaDatabase();
const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-catalogue-'));
let sqlite: ReadonlyMap<string, TableShape>;
beforeAll(async () => {
  const file = join(folder, 'gateway.db');
  await (await openDatabase(file)).close();
  sqlite = sqliteShapes(file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tables that only PostgreSQL has. */
const ONLY_HERE = ['rate_limits'];

const ACTIONS = { a: 'NO ACTION', c: 'CASCADE' } as const;

async function tables(): Promise<string[]> {
  const rows = await database.owner<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !ONLY_HERE.includes(name));
}

const COLUMNS_OF = `select string_agg(attname || case when options[place - 1] & 1 = 1 then ' desc' else '' end, ', '
    order by place)
  from unnest(indkey) with ordinality as part (number, place)
  join pg_attribute on attrelid = indrelid and attnum = number
  cross join (select indoption as options) as o where place <= indnkeyatts`;

interface IndexRow {
  readonly columns: string;
  readonly isUnique: boolean;
  readonly isPrimary: boolean;
  readonly isPartial: boolean;
}

async function shapeOf(table: string): Promise<TableShape> {
  const columns = await database.owner<{ text: string }>(
    `select attname || case when attnotnull then ' not null' else '' end as text from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const indexes = await database.owner<IndexRow>(
    `select (${COLUMNS_OF}) as columns, indisunique as "isUnique", indisprimary as "isPrimary",
      indpred is not null as "isPartial" from pg_index where indrelid = $1::regclass`,
    [table],
  );
  const keys = await database.owner<{ from: string; target: string; to: string; action: 'a' | 'c' }>(
    `select confrelid::regclass::text as target, confdeltype as action,
      (select string_agg(attname, ', ' order by place) from unnest(conkey) with ordinality as k (number, place)
        join pg_attribute on attrelid = conrelid and attnum = number) as from,
      (select string_agg(attname, ', ' order by place) from unnest(confkey) with ordinality as k (number, place)
        join pg_attribute on attrelid = confrelid and attnum = number) as to
    from pg_constraint where conrelid = $1::regclass and contype = 'f'`,
    [table],
  );
  return {
    columns: columns.map(({ text }) => text).sort(),
    primaryKey: indexes.find(({ isPrimary }) => isPrimary)?.columns ?? '',
    uniqueKeys: indexes
      .filter(({ isUnique, isPrimary }) => isUnique && !isPrimary)
      .map((index) => index.columns + (index.isPartial ? ' where' : ''))
      .sort(),
    foreignKeys: keys
      .map(({ from, target, to, action }) => `${from} -> ${target} (${to}) ${ACTIONS[action]}`)
      .sort(),
    indexes: indexes
      .filter(({ isUnique }) => !isUnique)
      .map((index) => index.columns)
      .sort(),
  };
}

describe('the catalogue', () => {
  it('has the tables of SQLite', async () => {
    expect(await tables()).toEqual([...sqlite.keys()].sort());
  });

  it('has the same columns, nullability, primary keys, unique keys and foreign keys', async () => {
    for (const table of await tables()) {
      const ours = await shapeOf(table);
      expect(ours, table).toEqual({ ...sqlite.get(table), indexes: ours.indexes });
    }
  });

  // Columns after the sort columns are INCLUDE columns in PostgreSQL.
  it('has an index for each one of SQLite that it can have', async () => {
    // An index over the time would be written with every update (decisions.md#device-presence).
    for (const table of (await tables()).filter((name) => name !== 'device_presence')) {
      const ours = (await shapeOf(table)).indexes;
      const theirs = sqlite.get(table)?.indexes ?? [];
      expect(ours.length, table).toBe(theirs.length);
      for (const index of theirs) {
        expect(
          ours.filter((own) => index === own || index.startsWith(`${own}, `)),
          `${table}: ${index}`,
        ).toHaveLength(theirs.filter((other) => other === index).length);
      }
    }
  });

  it('has the view of members with the same columns', async () => {
    const rows = await database.owner<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = 'members'::regclass and attnum > 0 order by attnum",
    );
    expect(rows.map(({ name }) => name).join(', ')).toBe(
      'company_id, role, name, time_zone, sign_in_count, last_sign_in_at, last_sign_in_ip, disabled_at, revision, ' +
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
    const known = [
      'bigint',
      'boolean',
      'timestamptz',
      'bytea',
      'json',
      'jsonb',
      'text',
      'varchar',
      'integer',
    ];
    const types = known.map((type) => `'${type}'::regtype`).join(', ');
    expect(await columnsWhere(`atttypid not in (${types})`)).toEqual([]);
    expect(await columnsWhere("relkind = 'r' and atttypid = 'json'::regtype")).toEqual([
      'devices.meta',
      'ledger.after',
      'ledger.before',
      'metacontents.value',
      'transactions.parsed',
    ]);
  });
});
