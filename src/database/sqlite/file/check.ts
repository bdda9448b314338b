import Sqlite from 'better-sqlite3';

import { minuteOf } from '../../../schema/sqlite.js';
import { totalChecks } from '../../tools.js';
import { inspectFile, noDatabaseAt, type Inspection } from './inspect.js';
import { refuseLoss } from './loss.js';
import { closing, reading } from './open-file.js';
import { SCHEMA } from './schema.js';

const MAX_PROBLEMS = 100;

/** A message for each damaged page, broken reference and wrong total. Errors: `DatabaseRefused`, as `refuseNone`. */
export function checkFile(
  file: string,
  { state }: Pick<Inspection, 'state'> = refuseNone(file),
): readonly string[] {
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

/** Messages about tables, indexes, triggers and views that are foreign, differ from the schema, or are missing. */
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
