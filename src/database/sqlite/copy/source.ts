import Sqlite from 'better-sqlite3';

import type { CopySource, TargetState } from '../../copy/place.js';
import { COPIED_TABLES } from '../../copy/tables.js';
import { refuseOlder, refuseUnfinished, UNFINISHED_TABLE } from '../../copy/unfinished.js';
import { inspectFile, noDatabaseAt } from '../file/inspect.js';
import { keepLog, refuseLoss } from '../file/marker/loss.js';
import { closing } from '../file/open-file.js';
import { FileReader } from './reader.js';

class FileSource extends FileReader implements CopySource {
  constructor(
    name: string,
    database: Sqlite.Database,
    private readonly endLog: () => void,
  ) {
    super(name, database);
  }

  close(): Promise<void> {
    this.database.close();
    this.endLog();
    return Promise.resolve();
  }
}

/** Opens the file in whatever journal mode it has. */
const openReader = (file: string): Sqlite.Database =>
  new Sqlite(file, { readonly: true, fileMustExist: true });

/** Opens a snapshot of a file, which servers may be using. Errors: `DatabaseRefused`. */
export function openFileSource(file: string): CopySource {
  const { state, pending } = inspectFile(file);
  refuseLoss(file);
  if (state === 'new') throw noDatabaseAt(file);
  if (state === 'older') throw refuseOlder(file, pending);
  const unfinished = unfinishedCopyIn(file);
  if (unfinished !== null) throw refuseUnfinished(file, unfinished);
  const endLog = keepLog(file);
  const database = openReader(file);
  // The first statement determines the state of the snapshot.
  database.exec('begin; select count(*) from sqlite_schema');
  return new FileSource(file, database, endLog);
}

/**
 * Source of the unfinished copy in the file; null if the file is none. The file must be a database of this
 * program.
 */
export function unfinishedCopyIn(file: string): string | null {
  return closing(openReader(file), markIn);
}

export function markIn(database: Sqlite.Database): string | null {
  const table = database.prepare('select 1 from sqlite_schema where name = ?').get(UNFINISHED_TABLE);
  if (table === undefined) return null;
  return String(database.prepare(`select source from ${UNFINISHED_TABLE}`).pluck().get());
}

/** State of a file; null if there is no database yet. Errors: `DatabaseRefused`. */
export function fileState(file: string): TargetState | null {
  const { state, applied } = inspectFile(file);
  if (state === 'new') return null;
  return closing(openReader(file), (database) => ({
    records: applied.length === 0 ? 0 : recordsIn(database),
    unfinished: markIn(database),
  }));
}

/** Number of rows in all tables; an older schema has fewer tables. */
export function recordsIn(database: Sqlite.Database): number {
  const existing = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  return COPIED_TABLES.filter((table) => existing.includes(table)).reduce(
    (sum, table) => sum + Number(database.prepare(`select count(*) from ${table}`).pluck().get()),
    0,
  );
}
