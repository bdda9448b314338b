/** The schema as SQL of SQLite. */
import { TOTAL_SPANS } from '../platform/timestamps.js';
import { MEMBERS_QUERY } from './people.js';
import { addends, keyOf, ROLLUPS, SUMMED, SUMS, type Rollup } from './rollups.js';
import { RULES, type RuleTrigger } from './rules.js';
import { COUNTED, RETAINED, TABLES } from './schema.js';
import { SQLITE_SEARCH } from './search.js';
import { SOFTWARE_CHANGES } from './software.js';
import { STATE_TOTALS, type StateTotals } from './state-totals.js';
import { TYPES, computedColumns, constraintsOf, type Column, foreignKey, type Index } from './table.js';
import type { Table } from './table.js';

function column([name, { kind, isOptional, fallback, isDrawn }]: readonly [string, Column]): string {
  if (isDrawn === true) return `"${name}" integer primary key autoincrement`;
  const literal = typeof fallback === 'string' ? `'${fallback}'` : fallback;
  const value = kind === 'instant' && fallback !== null ? 0 : literal;
  return `"${name}" ${TYPES[kind].sqlite}${isOptional ? '' : ' not null'}${value === null ? '' : ` default ${value}`}`;
}

function creation(table: Table): string {
  const { name, columns, key, references, isKeyed } = table;
  const isDrawn = Object.values(columns).some((each) => each.isDrawn);
  const lines = [
    ...Object.entries(columns).map(column),
    ...computedColumns(table, TYPES.text.sqlite, 'virtual'),
    ...(isDrawn ? [] : [`primary key (${key.join(', ')})`]),
    ...references.map(foreignKey),
    ...constraintsOf(table),
  ];
  return `create table ${name} (\n  ${lines.join(',\n  ')}\n)${isKeyed ? ' without rowid' : ''}`;
}

const index =
  (table: string) =>
  ({ name, columns, included = [], isUnique, where }: Index): string =>
    `create ${isUnique === true ? 'unique ' : ''}index ${name} on ${table} (${[...columns, ...included].join(', ')})` +
    (where === undefined ? '' : ` where ${where}`);

function counting({ table, counter, drawn }: (typeof COUNTED)[number]): readonly string[] {
  const last = drawn === null ? '' : ', last_drawn';
  const value = drawn === null ? '' : `, new.${drawn}`;
  const change = drawn === null ? '' : ', last_drawn = max(last_drawn, excluded.last_drawn)';
  return [
    `create trigger ${table}_counted_in after insert on ${table} when new.company_id is not null begin
      insert into counters (company_id, name, total${last}) values (new.company_id, '${counter}', 1${value})
        on conflict (company_id, name) do update set total = total + 1${change};
    end`,
    `create trigger ${table}_counted_out after delete on ${table} when old.company_id is not null begin
      update counters set total = total - 1 where company_id = old.company_id and name = '${counter}';
    end`,
  ];
}

const staying = ({ table }: (typeof COUNTED)[number]): string =>
  `create trigger ${table}_stays before update of company_id on ${table} when new.company_id <> old.company_id begin
      select raise(abort, 'a record stays with its company');
    end`;

/** Triggers that count rows by what they refer to. */
function totalling({ of, into, by, columns, counts }: StateTotals): readonly string[] {
  const isCounted = (row: string): string[] =>
    Object.values(counts).map((count) => `(${count((name) => `${row}.${name}`)})`);
  const [added, removed] = [isCounted('new'), isCounted('old')];
  const change = (by: (place: number) => string): string =>
    Object.keys(counts)
      .map((name, place) => `${name} = ${name} ${by(place)}`)
      .join(', ');
  const ofRow = (row: string): string => `where company_id = ${row}.company_id and ${by} = ${row}.${by};`;
  return [
    `create trigger ${into}_on_insert_of_${of} after insert on ${of} when new.${by} is not null begin
      insert into ${into} (company_id, ${by}, ${Object.keys(counts).join(', ')})
        values (new.company_id, new.${by}, ${added.join(', ')})
        on conflict (company_id, ${by}) do update set ${change((place) => `+ ${added[place] ?? ''}`)};
    end`,
    `create trigger ${into}_on_delete_of_${of} after delete on ${of} begin
      update ${into} set ${change((place) => `- ${removed[place] ?? ''}`)} ${ofRow('old')}
    end`,
    ...(columns.length === 0
      ? []
      : [
          `create trigger ${into}_on_update_of_${of} after update of ${columns.join(', ')} on ${of}
      when ${columns.map((name) => `new.${name} <> old.${name}`).join(' or ')} begin
      update ${into} set ${change((place) => `+ ${added[place] ?? ''} - ${removed[place] ?? ''}`)} ${ofRow('new')}
    end`,
        ]),
  ];
}

const ruleTrigger = ({ name, table, event, sqlite: { of, when, run } }: RuleTrigger): string =>
  `create trigger ${name} after ${event}${of === undefined ? '' : ` of ${of}`} on ${table}${
    when === undefined
      ? ''
      : `
      when ${when}`
  } begin
      ${run}
    end`;

/** The end of a trigger that draws the position of a changed state. */
const PLACED = `begin
      insert into counters (company_id, name, total, last_drawn) values (new.company_id, '${SOFTWARE_CHANGES}', 0, 1)
        on conflict (company_id, name) do update set last_drawn = last_drawn + 1;
      update terminal_versions set sequence =
          (select last_drawn from counters where company_id = new.company_id and name = '${SOFTWARE_CHANGES}')
        where company_id = new.company_id and device_id = new.device_id and app_version_id = new.app_version_id;
    end`;

/** Triggers that draw the positions of changed states of app versions on terminals. */
const PLACING: readonly string[] = [
  `create trigger terminal_versions_placed_in after insert on terminal_versions
      when new.state <> 'granted' ${PLACED}`,
  `create trigger terminal_versions_placed after update of state, reason, attempts on terminal_versions
      when new.state <> old.state or new.reason is not old.reason or new.attempts <> old.attempts ${PLACED}`,
];

/** Minute of the transaction `row` since 1970. */
export const minuteOf = (row: string): string => `${row}.started_at / 60000`;

/** An upsert that adds the transaction `row` to a rollup, or subtracts it, once for each span. */
function change(rollup: Rollup, row: 'new' | 'old', sign: '+' | '-'): string {
  const key = keyOf(rollup);
  const kind = rollup.kind.map((each) => `${row}.${each}`);
  const rows = TOTAL_SPANS.map((span) =>
    [`${row}.company_id`, span, `${minuteOf(row)} / ${span} * ${span}`, ...kind, ...addends(row)].join(', '),
  );
  return `insert into ${rollup.name} (${[...key, ...SUMS].join(', ')})
        values ${rows.map((each) => `(${each})`).join(', ')}
        on conflict (${key.join(', ')}) do update set
          ${SUMS.map((each) => `${each} = ${each} ${sign} excluded.${each}`).join(', ')};`;
}

const ADDITIONS = ROLLUPS.map((rollup) => change(rollup, 'new', '+')).join(' ');
/** Each finds its row, which the addition of the transaction has made. */
const SUBTRACTIONS = ROLLUPS.map((rollup) => change(rollup, 'old', '-')).join(' ');

const SUMMING: readonly string[] = [
  `create trigger transactions_summed_in after insert on transactions begin ${ADDITIONS} end`,
  `create trigger transactions_summed_out after delete on transactions begin ${SUBTRACTIONS} end`,
  `create trigger transactions_summed_moved after update of company_id, ${SUMMED.join(', ')} on transactions
      begin ${SUBTRACTIONS} ${ADDITIONS} end`,
];

/** Triggers that refuse changes of ledger entries, except the deletion of those up to the one in `prunings`. */
const KEPT: readonly string[] = [
  `create trigger ledger_no_update before update on ledger begin
      select raise(abort, 'ledger can only be added to');
    end`,
  `create trigger ledger_no_delete before delete on ledger
      when not exists (select 1 from prunings where company_id = coalesce(old.company_id, 0) and name = 'ledger'
        and up_to >= old.sequence) begin
      select raise(abort, 'ledger can only be added to');
    end`,
];

/**
 * Statistics as of ANALYZE: for each index, the number of rows, and of rows with the same first column, the same
 * first two, and so on. Without them the planner scans all transactions in order instead of looking up a device.
 */
const SHARES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ledger: {
    ledger_by_action_sequence: '1000000 100000 30000 1',
    ledger_by_at_sequence: '1000000 100000 2 1',
    ledger_by_entity_id_entity_type_sequence: '1000000 100000 50 10 1',
    ledger_by_entity_type_sequence: '1000000 100000 10000 1',
    ledger_by_job_id_sequence: '1000000 100000 5000 1',
    ledger_by_user_id_sequence: '1000000 100000 5000 1',
    ledger_of_job: '100000 20000 1000 500 1',
    ledger_of_company: '1000000 100000 1',
  },
  transactions: {
    sqlite_autoindex_transactions_1: '1000000 1000000 1',
    transactions_app: '1000000 1000000 100000 2 1 1 1',
    transactions_authorization: '1000000 1000000 2 1 1',
    transactions_by_amount_id: '1000000 1000000 1000 1',
    transactions_logical_number: '1000000 1000000 100 2 1 1 1 1 1 1 1',
    transactions_newest: '1000000 1000000 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    transactions_nsu: '1000000 1000000 2 1 1',
    transactions_reference: '1000000 1000000 2 1',
    transactions_serial: '1000000 1000000 100 2 1 1 1 1 1 1 1',
    transactions_status: '1000000 1000000 300000 2 1 1 1',
  },
};

export const SQLITE_SCHEMA: readonly string[] = [
  ...TABLES.flatMap((table) => [creation(table), ...table.indexes.map(index(table.name))]),
  `create view members as ${MEMBERS_QUERY}`,
  ...COUNTED.flatMap(counting),
  ...RETAINED.map(staying),
  ...STATE_TOTALS.flatMap(totalling),
  ...PLACING,
  ...RULES.map(ruleTrigger),
  ...SUMMING,
  ...KEPT,
  ...SQLITE_SEARCH,
  'analyze sqlite_schema',
  ...Object.entries(SHARES).flatMap(([table, indexes]) =>
    Object.entries(indexes).map(
      ([name, shares]) =>
        `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', '${name}', '${shares}')`,
    ),
  ),
];
