import Sqlite from 'better-sqlite3';

import { MINUTE } from '../../../platform/clock.js';
import { ROLLUPS, wrongRows, type Rollup } from '../../../schema/rollups.js';
import { COUNTED, counterOf } from '../../../schema/schema.js';
import { minuteOf } from '../../../schema/sqlite.js';
import type { StorageSizes } from '../../database.js';
import { RECORDS } from '../../totals.js';
import { OLDEST_ROWS, type Oldest } from '../../totals.js';
import { measureFile } from '../sizes/measure.js';
import { inspectFile, noDatabaseAt, type Inspection } from './inspect.js';
import { refuseLoss } from './marker/loss.js';
import { closing } from './open-file.js';
import { walPath, fileBytes } from './paths.js';

const MAX_PROBLEMS = 100;

/**
 * Reads a whole database, which may be in use, and returns a message for each problem: damaged pages, broken
 * references, wrong totals. Errors: `DatabaseRefused` if the file is missing or not a database of this
 * program.
 */
export function checkFile(file: string): readonly string[] {
  const { state } = refuseNone(file);
  return closing(openReader(file), (database) => {
    const damaged = damagedPages(database);
    // The other checks would fail on damaged pages.
    if (damaged.length > 0) return damaged;
    return [
      ...brokenReferences(database),
      // An older schema may lack some of these tables.
      ...(state === 'current' ? wrongTotals(database) : []),
    ];
  });
}

const wrongTotals = (database: Sqlite.Database): string[] => [
  ...COUNTED.flatMap((table) => wrongCounters(database, counterOf(table), table)),
  ...ROLLUPS.flatMap((rollup) => wrongTransactionTotals(database, rollup)),
  ...wrongSequences(database),
];

export interface DatabaseDescription extends Inspection {
  readonly bytes: number;
  /** Size of the WAL. */
  readonly logBytes: number;
  /** Version of SQLite, for example `3.51.0`. */
  readonly engine: string;
  readonly companies: number;
  readonly users: number;
  /** Number of records by table, in all companies. */
  readonly records: Readonly<Record<string, number>>;
  readonly sizes: StorageSizes | null;
  /**
   * Milliseconds since 1970 of the oldest row of each kind that retention deletes; empty for an older schema.
   */
  readonly oldest: Oldest;
}

/** Describes a database. Errors: as `checkFile`. */
export function describeFile(file: string): DatabaseDescription {
  const inspection = refuseNone(file);
  return closing(openReader(file), (database) => ({
    ...inspection,
    bytes: fileBytes(file),
    logBytes: fileBytes(walPath(file)),
    engine: String(database.prepare('select sqlite_version()').pluck().get()),
    companies: numberFrom(database, 'select count(*) from companies'),
    users: numberFrom(database, 'select count(*) from users'),
    sizes: measureFile(database),
    oldest: inspection.state === 'current' ? oldestIn(database) : {},
    records: Object.fromEntries(
      RECORDS.map((table) => [
        table,
        numberFrom(database, 'select coalesce(sum(total), 0) from counters where name = ?', table),
      ]),
    ),
  }));
}

/** Number of rows in all tables. Errors: as `checkFile`. */
export function countRows(file: string): number {
  refuseNone(file);
  return closing(openReader(file), (database) => {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .pluck()
      .all();
    return tables.reduce(
      (sum: number, table) => sum + numberFrom(database, `select count(*) from "${String(table)}"`),
      0,
    );
  });
}

function oldestIn(database: Sqlite.Database): Oldest {
  return Object.fromEntries(
    Object.entries(OLDEST_ROWS).map(([kind, query]) => {
      const at = database.prepare(query).pluck().get() as number | null;
      return [kind, at === null ? null : new Date(at)];
    }),
  );
}

function numberFrom(database: Sqlite.Database, query: string, ...parameters: string[]): number {
  return Number(
    database
      .prepare(query)
      .pluck()
      .get(...parameters),
  );
}

/** Errors: `DatabaseRefused` if there is no database of this program, or a damaged one. */
export function refuseNone(file: string): Inspection {
  const inspection = inspectFile(file);
  if (inspection.state === 'new') {
    refuseLoss(file);
    throw noDatabaseAt(file);
  }
  return inspection;
}

function openReader(file: string): Sqlite.Database {
  return new Sqlite(file, { readonly: true, fileMustExist: true });
}

function damagedPages(database: Sqlite.Database): string[] {
  const results = database.prepare(`pragma integrity_check(${MAX_PROBLEMS})`).pluck().all() as string[];
  return results.filter((result) => result !== 'ok');
}

function brokenReferences(database: Sqlite.Database): string[] {
  const broken = database.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[];
  return broken
    .slice(0, MAX_PROBLEMS)
    .map(({ table, rowid, parent }) => `${table} ${rowid} refers to a missing row of ${parent}`);
}

/** Compares a table of totals, which triggers maintain, with the transactions. */
function wrongTransactionTotals(database: Sqlite.Database, rollup: Rollup): string[] {
  const wrong = database
    .prepare(`${wrongRows(rollup, minuteOf('t'))} order by 1, 2 desc, 3 limit ${MAX_PROBLEMS}`)
    .all() as { company_id: number; span: number; start: number }[];
  return wrong.map(({ company_id: company, span, start }) => {
    const time = new Date(start * MINUTE).toISOString();
    return `company ${company}: the totals of ${span} minutes from ${time} are wrong in ${rollup.name}`;
  });
}

/** Messages for ledgers whose sequences have gaps, or do not end with the last one drawn. */
function wrongSequences(database: Sqlite.Database): string[] {
  const wrong = database
    .prepare(
      `select c.company_id as company, c.last_drawn as given, l.first, l.last, l.total from counters as c
      left join (select coalesce(company_id, 0) as company_id, min(sequence) as first, max(sequence) as last,
        count(*) as total from ledger group by 1) as l on l.company_id = c.company_id
      where c.name = 'ledger' and (l.last is not c.last_drawn or l.total <> l.last - l.first + 1)
      limit ${MAX_PROBLEMS}`,
    )
    .all() as { company: number; given: number; first: number; last: number; total: number }[];
  return wrong.map(({ company, given, first, last, total }) =>
    last === given
      ? `company ${company}: its ledger has ${total} entries from ${first} to ${last}: some are missing`
      : `company ${company}: its ledger ends at ${last}, but ${given} was given`,
  );
}

/** Compares a counter, which triggers maintain, with the number of rows in the table. */
function wrongCounters(database: Sqlite.Database, counter: string, table: string): string[] {
  const wrong = database
    .prepare(
      `select companies.id as company,
        coalesce((select total from counters where company_id = companies.id and name = ?), 0) as stored,
        (select count(*) from ${table} where company_id = companies.id) as counted
      from companies where stored <> counted`,
    )
    .all(counter) as { company: number; stored: number; counted: number }[];
  return wrong.map(
    ({ company, stored, counted }) =>
      `company ${company}: its counter of ${counter} is ${stored}, but it has ${counted}`,
  );
}
