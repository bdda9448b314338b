/**
 * The program of the process that checks a whole file for damage; its argument is the path. It ends with the process that
 * started it: the check itself runs in a thread, since nothing can interrupt it.
 */
import Sqlite from 'better-sqlite3';
import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** `damaged` and `failed` say why; `failed` means that the check could not be made. */
export interface CheckResult {
  readonly kind: 'sound' | 'damaged' | 'failed';
  readonly detail: string;
}

const OPEN_TIMEOUT_MS = 5_000;

if (isMainThread) superviseCheck(process.argv[2] ?? '');
else parentPort?.postMessage(check(workerData as string));

function superviseCheck(file: string): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  try {
    // What the server does for its clients comes first.
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Where that is not allowed, they are equal.
  }
  const worker = new Worker(new URL(import.meta.url), { workerData: file, env: {} });
  worker.once('message', (result: CheckResult) => process.send?.(result));
  worker.once('error', (error: Error) => process.send?.({ kind: 'failed', detail: error.message }));
}

function check(file: string): CheckResult {
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: OPEN_TIMEOUT_MS });
    const result = String(database.pragma('quick_check(1)', { simple: true }));
    database.close();
    return result === 'ok' ? { kind: 'sound', detail: '' } : { kind: 'damaged', detail: result };
  } catch (error) {
    const isDamaged = error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
    return { kind: isDamaged ? 'damaged' : 'failed', detail: (error as Error).message };
  }
}
