/** Program of the thread that copies the log into the file, once for each message. */
import Sqlite from 'better-sqlite3';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

/** Messages of the thread: first that the file is open, then one reply to each request. */
export type CheckpointReply =
  | { readonly kind: 'open' }
  /** `isWhole`: the whole log was copied, and the file is on the disk, because SQLite syncs it only then. */
  | { readonly kind: 'done'; readonly isWhole: boolean }
  /** `code` is SQLite's code, or null for another error. If the file cannot be opened, the thread ends. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | null };

if (parentPort !== null) serve(parentPort, workerData as string);

function serve(port: MessagePort, file: string): void {
  const reply = (message: CheckpointReply): void => port.postMessage(message);
  let database: Sqlite.Database;
  try {
    database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    database.pragma('synchronous = FULL');
    database.pragma('wal_autocheckpoint = 0');
  } catch (error) {
    reply(failure(error));
    port.close();
    return;
  }
  reply({ kind: 'open' });
  port.on('message', (request: 'checkpoint' | 'close') => {
    if (request === 'checkpoint') reply(checkpoint(database));
    else {
      database.close();
      port.close();
    }
  });
}

/** Maximum attempts. Each copies what was written during the previous one, so the last ones are short. */
const ATTEMPTS = 5;

function checkpoint(database: Sqlite.Database): CheckpointReply {
  try {
    let isWhole = false;
    for (let attempt = 0; attempt < ATTEMPTS && !isWhole; attempt += 1) {
      const [state] = database.pragma('wal_checkpoint(passive)') as [{ log: number; checkpointed: number }];
      isWhole = state.log === state.checkpointed;
    }
    return { kind: 'done', isWhole };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): CheckpointReply {
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', message, code: error instanceof Sqlite.SqliteError ? error.code : null };
}
