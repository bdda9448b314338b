/**
 * Program of the process that reads a whole file: to check it for damage, or to measure its tables. Its
 * arguments are the task and the path. It ends with the process that started it: the task itself runs in a
 * thread, since nothing can interrupt it.
 *
 * Node may run this file as TypeScript and only remove the types, so it imports no file of the project.
 */
import Sqlite from 'better-sqlite3';
import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

import type { StorageSizes, TableSize } from '../../database.js';

export type FileTask = 'check' | 'measure';

/** Result of a check. `detail` is the reason for `damaged`, and for `failed`: the file could not be checked. */
export interface CheckResult {
  readonly kind: 'sound' | 'damaged' | 'failed';
  readonly detail: string;
}

const OPEN_TIMEOUT_MS = 5_000;

if (isMainThread) supervise(process.argv.slice(2));
else parentPort?.postMessage(run(workerData as string[]));

function supervise(task: readonly string[]): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  try {
    // The server's work for clients comes first.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without permission, the priorities stay equal.
  }
  const worker = new Worker(new URL(import.meta.url), { workerData: task, env: {} });
  worker.once('message', (result) => process.send?.(result));
}

function run([task, file = '']: readonly string[]): CheckResult | StorageSizes {
  const open = (): Sqlite.Database =>
    new Sqlite(file, { readonly: true, fileMustExist: true, timeout: OPEN_TIMEOUT_MS });
  return task === 'measure' ? measure(open()) : check(open);
}

function check(open: () => Sqlite.Database): CheckResult {
  try {
    const database = open();
    const result = String(database.pragma('quick_check(1)', { simple: true }));
    database.close();
    return result === 'ok' ? { kind: 'sound', detail: '' } : { kind: 'damaged', detail: result };
  } catch (error) {
    const isDamaged = error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
    return { kind: isDamaged ? 'damaged' : 'failed', detail: (error as Error).message };
  }
}

/** Reads every page of the file: bytes and rows of each table, with its indexes. */
function measure(database: Sqlite.Database): StorageSizes {
  // A table WITHOUT ROWID has rows in the inner pages of its primary key too. The index of names of the table
  // devices is in tables whose names begin with devices_search.
  const trees = database
    .prepare(
      `select iif(instr(p.name, '_search') > 0, substr(p.name, 1, instr(p.name, '_search') - 1),
          coalesce(s.tbl_name, p.name)) as name,
        sum(p.bytes) as bytes,
        sum(case when s.type = 'table' and instr(p.name, '_search') = 0 and (p.pagetype = 'leaf' or (p.pagetype = 'internal' and t.wr = 1))
          then p.cells else 0 end) as rows
      from (select name, pagetype, sum(pgsize) as bytes, sum(ncell) as cells from dbstat group by 1, 2) as p
      left join sqlite_schema as s on s.name = p.name
      left join pragma_table_list as t on t.schema = 'main' and t.name = s.tbl_name
      group by 1`,
    )
    .all() as (TableSize & { name: string })[];
  const freePages = database.pragma('freelist_count', { simple: true }) as number;
  const pageBytes = database.pragma('page_size', { simple: true }) as number;
  database.close();
  const tables = Object.fromEntries(trees.map(({ name, bytes, rows }) => [name, { bytes, rows }]));
  return { tables, freeBytes: freePages * pageBytes };
}
