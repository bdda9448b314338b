import Sqlite from 'better-sqlite3';

import { minuteOf } from '../../../schema/sqlite.js';
import { totalChecks } from '../../tools.js';
import { inspectFile, noDatabaseAt, type Inspection } from './inspect.js';
import { refuseLoss } from './loss.js';
import { SCHEMA } from './migrate.js';
import { closing, reading } from './open-file.js';

const MAX_PROBLEMS = 100;

/**
 * Reads a whole database, which may be in use, and returns a message for each problem: damaged pages, broken
 * references, wrong totals. Errors: `DatabaseRefused` if the file is missing or not a database of this
 * program.
 */
export function checkFile(file: string, { state } = refuseNone(file)): readonly string[] {
  return reading(file, (database) => {
    const damaged = damagedPages(database);
    // The other checks would fail on damaged pages.
    if (damaged.length > 0) return damaged;
    // An older schema may lack some of the tables with totals.
    return [...brokenReferences(database), ...(state === 'current' ? wrongTotals(database) : [])];
  });
}

const CHECKS = totalChecks(
  minuteOf('t'),
  (seconds) => `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${seconds}, 'unixepoch')`,
);

const wrongTotals = (database: Sqlite.Database): string[] =>
  CHECKS.flatMap((query) => database.prepare(query).pluck().all() as string[]);

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

/**
 * Messages about tables, indexes, triggers and views of a file with the current schema that are not in the schema of
 * this program, that differ from it, or that are missing. A foreign trigger could change or copy records.
 */
export function foreignObjects(file: string): readonly string[] {
  const expected = closing(new Sqlite(':memory:'), (database) => {
    for (const statement of SCHEMA) database.exec(statement);
    return objectsOf(database);
  });
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
