/**
 * The program of the process that checks a whole file for damage; its arguments are the path and a `CheckSpeed`. It ends with the
 * process that started it: the check itself runs in a thread, since nothing can interrupt it.
 */
import Sqlite from 'better-sqlite3';
import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** `damaged` and `failed` say why; `failed` means that the check could not be made. */
export interface CheckResult {
  readonly kind: 'sound' | 'damaged' | 'failed';
  readonly detail: string;
}

/** `idle`: with the time of the processor that nothing else uses. */
export type CheckSpeed = 'idle' | 'steady';

/** Changes the policy of a process; part of util-linux and BusyBox. */
const CHRT = '/usr/bin/chrt';

const OPEN_TIMEOUT_MS = 5_000;

if (isMainThread) superviseCheck(process.argv[2] ?? '', process.argv[3] as CheckSpeed | undefined);
else parentPort?.postMessage(check(workerData as string));

function superviseCheck(file: string, speed: CheckSpeed = 'steady'): void {
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  if (speed === 'steady') {
    lowerPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    startCheck(file);
    return;
  }
  lowerPriority(constants.priority.PRIORITY_LOW);
  // Threads that are started afterwards have the same policy. Where there is no chrt, the priority alone is low.
  const useIdleTime = ['-i', '-p', '0', String(process.pid)];
  execFile(CHRT, useIdleTime, { env: {} }, () => startCheck(file));
}

/** What the server does for its clients comes first. */
function lowerPriority(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // Where that is not allowed, they are equal.
  }
}

function startCheck(file: string): void {
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
