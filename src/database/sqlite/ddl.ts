import { sql } from 'kysely';

/**
 * Column types and triggers for migrations. Released migrations use them, so their SQL text never changes.
 */
export const ddl = {
  id: sql`integer primary key autoincrement`,
  integer: sql`integer`,
  instant: sql`integer`,
  flag: sql`integer`,
  text: sql`text`,
  json: sql`text`,
  bytes: sql`blob`,

  /**
   * Triggers that count the rows of each company in `counters`, and that keep a row from changing its
   * company.
   */
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

  /** A trigger that counts new rows of companies, and stores the number of each as the last one drawn. */
  countedAndDrawn(table: string, number: string): string {
    return `create trigger ${table}_counted_in after insert on ${table} when new.company_id is not null begin
        insert into counters (company_id, name, total, last_drawn) values (new.company_id, '${table}', 1, new.${number})
        on conflict (company_id, name) do update
        set total = total + 1, last_drawn = max(last_drawn, excluded.last_drawn);
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

  /** Triggers that maintain the number and amount of transactions by kind, and by day and hour. */
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

  /**
   * Triggers like those of `summedTransactions`, which also add up the amounts of approved, denied and
   * cancelled payments.
   */
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
   * Statistics for the query planner, as ANALYZE would write them: for each index, the number of rows, and
   * the average number of rows with the same first column, the same first two, and so on. Without them the
   * planner scans all transactions of a company in order, instead of looking up those of one device.
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
