import Sqlite from 'better-sqlite3';

import { DAY, HOUR } from '../../platform/clock.js';
import { DatabaseRefused, inspectFile, type Inspection } from './inspect.js';
import { logOf, fileBytes } from './place.js';

const MAX_PROBLEMS = 100;
/** Tables whose rows are counted as they come and go. */
const COUNTED = ['groups', 'logical_numbers', 'devices', 'apps', 'files', 'notifications', 'transactions'];

/**
 * Reads a whole database, also one in use, and says what is wrong with it; nothing where all is well. Errors:
 * `DatabaseRefused` where there is no database of ours to read.
 */
export function checkFile(file: string): readonly string[] {
  const { state } = inspectExisting(file);
  return reading(file, (database) => {
    const broken = pages(database);
    // What is broken cannot be read much further.
    if (broken.length > 0) return broken;
    const counted = COUNTED.flatMap((table) => totals(database, table, table));
    const summed =
      state === 'current' ? [...sums(database, 'day', DAY), ...sums(database, 'hour', HOUR)] : [];
    return [...references(database), ...counted, ...totals(database, 'users', 'memberships'), ...summed];
  });
}

export interface DatabaseDescription extends Inspection {
  readonly bytes: number;
  /** Of the log beside the file. */
  readonly logBytes: number;
  readonly engine: string;
  readonly companies: number;
  readonly users: number;
  /** Number of records by kind, over all companies. */
  readonly records: Readonly<Record<string, number>>;
}

/** Errors: `DatabaseRefused`. */
export function describeFile(file: string): DatabaseDescription {
  const inspection = inspectExisting(file);
  return reading(file, (database) => ({
    ...inspection,
    bytes: fileBytes(file),
    logBytes: fileBytes(logOf(file)),
    engine: String(database.prepare('select sqlite_version()').pluck().get()),
    companies: countOf(database, 'companies'),
    users: countOf(database, 'users'),
    records: Object.fromEntries(
      COUNTED.map((counter) => [
        counter,
        Number(
          database
            .prepare('select coalesce(sum(total), 0) from counters where name = ?')
            .pluck()
            .get(counter),
        ),
      ]),
    ),
  }));
}

function countOf(database: Sqlite.Database, table: 'companies' | 'users'): number {
  return Number(database.prepare(`select count(*) from ${table}`).pluck().get());
}

function inspectExisting(file: string): Inspection {
  const inspection = inspectFile(file);
  if (inspection.state !== 'new') return inspection;
  throw new DatabaseRefused('unusable', `There is no database at ${file}.`);
}

function reading<T>(file: string, use: (database: Sqlite.Database) => T): T {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function pages(database: Sqlite.Database): string[] {
  const answers = database.prepare(`pragma integrity_check(${MAX_PROBLEMS})`).pluck().all() as string[];
  return answers.filter((answer) => answer !== 'ok');
}

function references(database: Sqlite.Database): string[] {
  const broken = database.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[];
  return broken
    .slice(0, MAX_PROBLEMS)
    .map(({ table, rowid, parent }) => `${table} ${rowid} refers to what is not in ${parent}`);
}

/** Number and amount of transactions that triggers keep for each day or hour, against what is there. */
function sums(database: Sqlite.Database, span: 'day' | 'hour', milliseconds: number): string[] {
  const kind = 'status, transaction_type, app_name';
  const kept = `select company_id, ${span} as span, ${kind}, total, amount_total from transaction_${span}s
    where total <> 0 or amount_total <> 0`;
  const counted = `select company_id, started_at / ${milliseconds} as span, ${kind}, count(*), coalesce(sum(amount), 0)
    from transactions group by 1, 2, 3, 4, 5`;
  const wrong = database
    .prepare(
      `select distinct company_id as company, span from (
        select * from (${kept} except ${counted}) union all select * from (${counted} except ${kept}))
      order by 1, 2 limit ${MAX_PROBLEMS}`,
    )
    .all() as { company: number; span: number }[];
  return wrong.map(({ company, span: number }) => {
    const time = new Date(number * milliseconds).toISOString();
    return `company ${company}: the totals of transactions of the ${span} ${time} are not true`;
  });
}

/** The totals that triggers keep, against what is there. */
function totals(database: Sqlite.Database, counter: string, table: string): string[] {
  const wrong = database
    .prepare(
      `select companies.id as company,
        coalesce((select total from counters where company_id = companies.id and name = ?), 0) as kept,
        (select count(*) from ${table} where company_id = companies.id) as counted
      from companies where kept <> counted`,
    )
    .all(counter) as { company: number; kept: number; counted: number }[];
  return wrong.map(
    ({ company, kept, counted }) => `company ${company}: ${counted} ${counter}, but the total says ${kept}`,
  );
}
