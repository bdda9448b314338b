/** Program of a reader thread: runs the statements that it receives, one after the other. */
import Sqlite from 'better-sqlite3';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import { checkedText, openChecked, Stopped } from './checked-connection.ts';
import type { Reply, Request, ThreadError, ThreadOptions } from './messages.ts';

/** The lowest priority. */
const MAX_NICE = 19;

if (parentPort !== null) serve(parentPort, workerData as ThreadOptions);

function serve(port: MessagePort, options: ThreadOptions): void {
  const reply = (message: Reply): void => port.postMessage(message);
  let database: Sqlite.Database;
  try {
    // On Linux, this is the priority of the thread; on other systems, it would be that of the process.
    if (process.platform === 'linux') setPriority(Math.min(getPriority() + options.nice, MAX_NICE));
    const mayGoOn = (): boolean => Atomics.load(options.stop, 0) === 0;
    database = openChecked(options.file, { mayGoOn });
  } catch (error) {
    reply({ kind: 'refused', error: errorOf(error) });
    port.close();
    return;
  }
  reply({ kind: 'open' });
  port.on('message', (request: Request) => {
    if (request.kind === 'read') reply(read(database, request, options));
    if (request.kind === 'end' && database.inTransaction) database.exec('rollback');
    if (request.kind === 'settle') reply({ kind: 'settled' });
    if (request.kind === 'close') {
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
    if (Atomics.load(stop, 0) !== 0) return { kind: 'stopped' };
    if (!database.inTransaction) database.exec('begin');
    const rows: unknown[] = [];
    let bytes = 0;
    for (const row of database.prepare(checkedText(sql)).iterate(...parameters)) {
      bytes += bytesOf(row as object);
      if (bytes > maxBytes) return { kind: 'too_large' };
      rows.push(row);
    }
    return { kind: 'rows', rows };
  } catch (error) {
    return error instanceof Stopped ? { kind: 'stopped' } : { kind: 'error', error: errorOf(error) };
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
