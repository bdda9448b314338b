/** Program of a reader thread: runs the statements that it receives, one after the other. */
import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { checkedText, openChecked, Stopped } from './checked-connection.ts';

export interface ThreadOptions {
  readonly file: string;
  /** Number of the file that the server has opened. Another file in its place is refused. */
  readonly inode: number;
  /** One number. If it is not 0, the thread must end what it is doing. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Maximum bytes of text in the rows of a statement. */
  readonly maxBytes: number;
}

export type Request =
  | { readonly kind: 'read'; readonly sql: string; readonly parameters: readonly unknown[] }
  /** Ends the transaction that the first read has begun. */
  | { readonly kind: 'end' }
  /** Closes the connection and ends the thread, without a reply. */
  | { readonly kind: 'close' };

/** `sqlite` is the code of an error of SQLite, or `TOO_LARGE` for rows of more than `maxBytes`. */
export interface ThreadError {
  readonly message: string;
  readonly sqlite: string | null;
}

/** One reply to each request, in their order, and a first one: the connection is open, or the thread ends. */
export interface Reply {
  readonly rows: unknown[];
  readonly error: ThreadError | null;
}

const DONE: Reply = { rows: [], error: null };

/** Priority below that of the event loop, which shares the processors with the reader threads; 19 is the lowest. */
const NICE = 5;
const MAX_NICE = 19;

if (parentPort !== null) serve(parentPort, workerData as ThreadOptions);

function serve(port: MessagePort, options: ThreadOptions): void {
  const reply = (message: Reply): void => port.postMessage(message);
  let database: Sqlite.Database;
  try {
    // On Linux, this is the priority of the thread; on other systems, it would be that of the process.
    if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, MAX_NICE));
    const mayGoOn = (): boolean => Atomics.load(options.stop, 0) === 0;
    database = openChecked(options.file, { mayGoOn });
    if (statSync(options.file, { throwIfNoEntry: false })?.ino !== options.inode) {
      throw new Sqlite.SqliteError(`${options.file} was replaced by another file`, 'SQLITE_CANTOPEN');
    }
  } catch (error) {
    reply({ ...DONE, error: errorOf(error) });
    port.close();
    return;
  }
  reply(DONE);
  port.on('message', (request: Request) => {
    if (request.kind === 'read') reply(read(database, request, options));
    else if (request.kind === 'end') {
      if (database.inTransaction) database.exec('rollback');
      reply(DONE);
    } else {
      database.close();
      port.close();
    }
  });
}

function read(
  database: Sqlite.Database,
  { sql, parameters }: Request & { kind: 'read' },
  { stop, maxBytes }: ThreadOptions,
): Reply {
  try {
    if (Atomics.load(stop, 0) !== 0) throw new Stopped();
    if (!database.inTransaction) database.exec('begin');
    const rows: unknown[] = [];
    let bytes = 0;
    for (const row of database.prepare(checkedText(sql)).iterate(...parameters)) {
      bytes += bytesOf(row as object);
      if (bytes > maxBytes) return { ...DONE, error: { message: 'too large', sqlite: 'TOO_LARGE' } };
      rows.push(row);
    }
    return { rows, error: null };
  } catch (error) {
    return { ...DONE, error: errorOf(error) };
  }
}

/** Approximate bytes of a row: 100, and the length of its texts. */
function bytesOf(row: object): number {
  let bytes = 100;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += value.length;
  return bytes;
}

function errorOf(error: unknown): ThreadError {
  const message = error instanceof Error ? error.message : String(error);
  return { message, sqlite: error instanceof Sqlite.SqliteError ? error.code : null };
}
