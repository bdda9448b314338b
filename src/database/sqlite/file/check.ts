import Sqlite from 'better-sqlite3';

import { MINUTE } from '../../../platform/clock.js';
import { ROLLUPS, wrongRows, type Rollup } from '../../../schema/rollups.js';
import { COUNTED, counterOf } from '../../../schema/schema.js';
import { minuteOf } from '../../../schema/sqlite.js';
import { SqliteConnection } from '../connection.js';
import { inspectFile, noDatabaseAt, type Inspection } from './inspect.js';
import { refuseLoss } from './loss.js';
import { createSchema, inTransaction, SILENT } from './migrate.js';
import { reading } from './open-file.js';

const MAX_PROBLEMS = 100;

/**
 * Reads a whole database, which may be in use, and returns a message for each problem: damaged pages, broken
 * references, wrong totals. Errors: `DatabaseRefused` if the file is missing or not a database of this
 * program.
 */
export function checkFile(file: string): readonly string[] {
  const { state } = refuseNone(file);
  return reading(file, (database) => {
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

/** Errors: `DatabaseRefused` if there is no database of this program, or a damaged one. */
export function refuseNone(file: string): Inspection {
  const inspection = inspectFile(file);
  if (inspection.state === 'new') {
    refuseLoss(file);
    throw noDatabaseAt(file);
  }
  return inspection;
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

/**
 * Messages about tables, indexes, triggers and views that are not in the schema of this program, that differ
 * from it, or that are missing. A foreign trigger could change or copy records. None for an older file, which
 * is compared after its migration.
 */
export async function foreignObjects(file: string): Promise<readonly string[]> {
  if (inspectFile(file).state !== 'current') return [];
  const expected = await objectsOfSchema();
  const actual = reading(file, objectsOf);
  return [
    ...[...actual].flatMap(([name, definition]) => {
      const known = expected.get(name);
      if (known === undefined) return [`the ${name} is not of this program`];
      return known === definition ? [] : [`the ${name} differs from the one of this program`];
    }),
    ...[...expected.keys()].flatMap((name) => (actual.has(name) ? [] : [`the ${name} is missing`])),
  ];
}

async function objectsOfSchema(): Promise<ReadonlyMap<string, string>> {
  const database = new Sqlite(':memory:');
  try {
    await inTransaction(new SqliteConnection(database, SILENT), createSchema);
    return objectsOf(database);
  } finally {
    database.close();
  }
}

/** Definitions by type and name, without SQLite's own objects. */
function objectsOf(database: Sqlite.Database): ReadonlyMap<string, string> {
  // A migration that adds a column changes the text of its table, not what the table is.
  const rows = database
    .prepare(
      `select type || ' ' || name, case type when 'table' then (
          select group_concat(c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk, ', ' order by c.name)
            from pragma_table_xinfo(s.name) as c)
        else sql end
      from sqlite_schema as s where name not like 'sqlite_%' order by 1`,
    )
    .raw()
    .all() as [string, string][];
  return new Map(rows);
}
