/**
 * Codecs between values and columns, and SQL that differs between databases: the only file that knows such differences,
 * besides `sqlite/`. Repositories read and write columns through these codecs only.
 */
import { sql, type RawBuilder } from 'kysely';

export interface Codec<Value, Column> {
  toColumn(value: Value): Column;
  fromColumn(column: Column): Value;
}

/** Milliseconds since 1970, UTC. */
export type InstantColumn = number;
/** 0 or 1. */
export type FlagColumn = number;
/** JSON text. */
export type JsonColumn = string;
export type BytesColumn = Uint8Array;

export const instant: Codec<Date, InstantColumn> = {
  toColumn: (value) => value.getTime(),
  fromColumn: (column) => new Date(column),
};

export const flag: Codec<boolean, FlagColumn> = {
  toColumn: (value) => (value ? 1 : 0),
  fromColumn: (column) => column !== 0,
};

/** The type of `fromColumn` is trusted: only `toColumn` writes such a column. */
export function json<Value>(): Codec<Value, JsonColumn> {
  return {
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (column) => JSON.parse(column) as Value,
  };
}

/** The same codec for a column that may be null. */
export function nullable<Value, Column>(codec: Codec<Value, Column>): Codec<Value | null, Column | null> {
  return {
    toColumn: (value) => (value === null ? null : codec.toColumn(value)),
    fromColumn: (column) => (column === null ? null : codec.fromColumn(column)),
  };
}

/** A list of values as one bound parameter, so that the text of the statement does not depend on its length. */
export function among(values: readonly (string | number)[]): RawBuilder<string | number> {
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/** Like `among`, for ids. */
export function amongIds(ids: readonly number[]): RawBuilder<number> {
  return sql`(select value from json_each(${JSON.stringify(ids)}))`;
}

/** A list of pairs as one bound parameter, for example `[[1, 17]]` for the id 17 of company 1. */
export function amongPairs(pairs: readonly (readonly [number, number])[]): RawBuilder<unknown> {
  return sql`(select json_extract(value, '$[0]'), json_extract(value, '$[1]')
    from json_each(${JSON.stringify(pairs)}))`;
}

/** Column types and triggers for migrations. Released migrations use them, so their SQL text never changes. */
export const ddl = {
  id: sql`integer primary key autoincrement`,
  integer: sql`integer`,
  instant: sql`integer`,
  flag: sql`integer`,
  text: sql`text`,
  json: sql`text`,
  bytes: sql`blob`,

  /** Triggers that count the rows of each company in `counters`, and that keep a row from changing its company. */
  counted(table: string, counter: string): readonly string[] {
    return [
      `create trigger ${table}_counted_in after insert on ${table} begin
        insert into counters (company_id, name, total) values (new.company_id, '${counter}', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end`,
      `create trigger ${table}_counted_out after delete on ${table} begin
        update counters set total = total - 1 where company_id = old.company_id and name = '${counter}';
      end`,
      `create trigger ${table}_stays before update of company_id on ${table}
        when new.company_id <> old.company_id begin
        select raise(abort, 'a record stays with its company');
      end`,
    ];
  },

  /** Counts the rows of an append-only table in `counters`; rows of no company are not counted. */
  countedLog(table: string): string {
    return `create trigger ${table}_counted_in after insert on ${table} when new.company_id is not null begin
        insert into counters (company_id, name, total) values (new.company_id, '${table}', 1)
        on conflict (company_id, name) do update set total = total + 1;
      end`;
  },

  /** Triggers that refuse updates and deletes. */
  appendOnly(table: string): readonly string[] {
    return ['update', 'delete'].map(
      (change) => `create trigger ${table}_no_${change} before ${change} on ${table} begin
        select raise(abort, '${table} can only be added to');
      end`,
    );
  },

  /** Triggers that count transactions by day and kind (status, type and application). */
  dailyTransactions(): readonly string[] {
    const add = `insert into transaction_days (company_id, day, status, transaction_type, app_name, total)
      values (new.company_id, new.started_at / 86400000, new.status, new.transaction_type, new.app_name, 1)
      on conflict (company_id, day, status, transaction_type, app_name) do update set total = total + 1;`;
    const remove = `update transaction_days set total = total - 1
      where company_id = old.company_id and day = old.started_at / 86400000 and status = old.status
        and transaction_type = old.transaction_type and app_name = old.app_name;`;
    return [
      `create trigger transactions_daily_in after insert on transactions begin ${add} end`,
      `create trigger transactions_daily_out after delete on transactions begin ${remove} end`,
      `create trigger transactions_daily_moved
        after update of company_id, started_at, status, transaction_type, app_name on transactions
        begin ${remove} ${add} end`,
    ];
  },

  /** Triggers that keep the number and amount of transactions by day, by hour and kind. */
  summedTransactions(): readonly string[] {
    const spans = [
      ['transaction_days', 'day', 86_400_000],
      ['transaction_hours', 'hour', 3_600_000],
    ] as const;
    const add = spans.map(
      ([table, span, ms]) => `insert into ${table}
        (company_id, ${span}, status, transaction_type, app_name, total, amount_total)
        values (new.company_id, new.started_at / ${ms}, new.status, new.transaction_type, new.app_name, 1,
          coalesce(new.amount, 0))
        on conflict (company_id, ${span}, status, transaction_type, app_name)
        do update set total = total + 1, amount_total = amount_total + excluded.amount_total;`,
    );
    const remove = spans.map(
      ([table, span, ms]) => `update ${table}
        set total = total - 1, amount_total = amount_total - coalesce(old.amount, 0)
        where company_id = old.company_id and ${span} = old.started_at / ${ms} and status = old.status
          and transaction_type = old.transaction_type and app_name = old.app_name;`,
    );
    return [
      `create trigger transactions_summed_in after insert on transactions begin ${add.join(' ')} end`,
      `create trigger transactions_summed_out after delete on transactions begin ${remove.join(' ')} end`,
      `create trigger transactions_summed_moved
        after update of company_id, started_at, status, transaction_type, app_name, amount on transactions
        begin ${[...remove, ...add].join(' ')} end`,
    ];
  },

  /** The same triggers, which also add up the amounts of approved, denied and cancelled payments. */
  summedPayments(): readonly string[] {
    const spans = [
      ['transaction_days', 'day', 86_400_000],
      ['transaction_hours', 'hour', 3_600_000],
    ] as const;
    const outcomes = ['approved', 'denied', 'cancelled'];
    const amounts = ['amount_total', ...outcomes.map((outcome) => `${outcome}_amount`)];
    const amountsOf = (row: 'new' | 'old'): string[] => [
      `coalesce(${row}.amount, 0)`,
      ...outcomes.map((o) => `iif(${row}.payment_outcome = '${o}', coalesce(${row}.amount, 0), 0)`),
    ];
    const add = spans.map(
      ([table, span, ms]) => `insert into ${table}
        (company_id, ${span}, status, transaction_type, app_name, total, ${amounts.join(', ')})
        values (new.company_id, new.started_at / ${ms}, new.status, new.transaction_type, new.app_name, 1,
          ${amountsOf('new').join(', ')})
        on conflict (company_id, ${span}, status, transaction_type, app_name) do update set total = total + 1,
          ${amounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')};`,
    );
    const subtracted = amountsOf('old').map(
      (value, n) => `${amounts[n] ?? ''} = ${amounts[n] ?? ''} - ${value}`,
    );
    const remove = spans.map(
      ([table, span, ms]) => `update ${table} set total = total - 1, ${subtracted.join(', ')}
        where company_id = old.company_id and ${span} = old.started_at / ${ms} and status = old.status
          and transaction_type = old.transaction_type and app_name = old.app_name;`,
    );
    return [
      `create trigger transactions_summed_in after insert on transactions begin ${add.join(' ')} end`,
      `create trigger transactions_summed_out after delete on transactions begin ${remove.join(' ')} end`,
      `create trigger transactions_summed_moved
        after update of company_id, started_at, status, transaction_type, app_name, amount, payment_outcome
        on transactions begin ${[...remove, ...add].join(' ')} end`,
    ];
  },

  /** Stores the rows in the primary key itself: a change writes one B-tree instead of two. */
  keyed: sql`without rowid`,

  /**
   * Statistics for the query planner, as ANALYZE would write them: for each index, the number of rows, and the average
   * number of rows with the same first column, the same first two, and so on. Without them the planner scans all
   * transactions of a company in order, instead of looking up those of one device.
   */
  shares(table: string, indexes: Readonly<Record<string, readonly number[]>>): readonly string[] {
    const rows = Object.entries(indexes).map(
      ([index, counts]) => `('${table}', '${index}', '${counts.join(' ')}')`,
    );
    return [
      'analyze sqlite_schema',
      `delete from sqlite_stat1 where tbl = '${table}'`,
      `insert into sqlite_stat1 (tbl, idx, stat) values ${rows.join(', ')}`,
    ];
  },
} as const;

/** A table with an alias, and the index that the query planner must use. */
export function indexedBy(table: string, alias: string, index: string): RawBuilder<unknown> {
  return sql`${sql.table(table)} as ${sql.ref(alias)} indexed by ${sql.ref(index)}`;
}

/** The values of a column in a form for which the query planner uses no index. */
export function unindexed<T>(column: RawBuilder<T>): RawBuilder<T> {
  return sql<T>`+${column}`;
}

/** A list of ids or names as a table `p` with the column `value`, for joins. */
export function idTable(ids: readonly (string | number)[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(ids)}) as p`;
}

/** The text under `key` in a column of JSON objects; null if absent. `key` is not escaped: never user input. */
export function jsonText(column: string, key: string): RawBuilder<string | null> {
  return sql<string | null>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${key}`)})`;
}

/** Pairs as a table `pair` with the columns `id` and `other`, for joins. */
export function pairTable(
  pairs: readonly (readonly [id: number, other: string | number])[],
): RawBuilder<unknown> {
  return sql`(select json_extract(value, '$[0]') as id, json_extract(value, '$[1]') as other
    from json_each(${JSON.stringify(pairs)})) as pair`;
}

/** Whether a text column contains `part`, case-sensitively. */
export function holdsText(column: RawBuilder<unknown>, part: string): RawBuilder<boolean> {
  return sql<boolean>`instr(${column}, ${part}) > 0`;
}
