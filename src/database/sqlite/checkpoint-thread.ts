/** Program of the thread that copies the log into the file, once for each message. */
import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

export interface CheckpointTask {
  readonly file: string;
  /** Number of the file that the server has opened. Another file in its place is left as it is. */
  readonly inode: number;
}

/** Reply to each message `checkpoint`. */
export interface CheckpointReply {
  /** True if the whole log was copied. SQLite writes the file to the disk only then. */
  readonly isWhole: boolean;
  readonly error: { readonly message: string; readonly code: string } | null;
}

/** Maximum attempts. Each copies what was written during the previous one, so the last ones are short. */
const ATTEMPTS = 5;

if (parentPort !== null) serve(parentPort, workerData as CheckpointTask);

function serve(port: MessagePort, { file, inode }: CheckpointTask): void {
  let database: Sqlite.Database | null = null;
  port.on('message', (request: 'checkpoint' | 'close') => {
    try {
      if (request === 'checkpoint') {
        database ??= open(file);
        if (statSync(file, { throwIfNoEntry: false })?.ino === inode) {
          port.postMessage({ isWhole: checkpoint(database), error: null });
          return;
        }
      }
      database?.close();
      port.close();
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError)) throw error;
      const { message, code } = error;
      port.postMessage({ isWhole: false, error: { message, code } });
    }
  });
}

function open(file: string): Sqlite.Database {
  const database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  database.pragma('synchronous = FULL');
  database.pragma('wal_autocheckpoint = 0');
  return database;
}

function checkpoint(database: Sqlite.Database): boolean {
  let isWhole = false;
  for (let attempt = 0; attempt < ATTEMPTS && !isWhole; attempt += 1) {
    const [state] = database.pragma('wal_checkpoint(passive)') as [{ log: number; checkpointed: number }];
    isWhole = state.log === state.checkpointed;
  }
  return isWhole;
}
