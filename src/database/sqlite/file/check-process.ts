/**
 * Program of the process that checks a whole file for damage. Its arguments are the path and a `CheckSpeed`.
 * It ends with the process that started it: the check itself runs in a thread, since nothing can interrupt
 * it.
 */
import Sqlite from 'better-sqlite3';
import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Result of a check. `detail` is the reason for `damaged` and `failed`; `failed` means that the file could
 * not be checked.
 */
export interface CheckResult {
  readonly kind: 'sound' | 'damaged' | 'failed';
  readonly detail: string;
}

/** `idle` uses only processor time that nothing else needs. */
export type CheckSpeed = 'idle' | 'steady';

/** Program that changes the scheduling policy of a process; part of util-linux and BusyBox. */
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
  // Threads that start later inherit the policy. Without chrt, only the priority is low.
  const useIdleTime = ['-i', '-p', '0', String(process.pid)];
  execFile(CHRT, useIdleTime, { env: {} }, () => startCheck(file));
}

/** Lowers the priority of this process, so that the server's work for clients comes first. */
function lowerPriority(priority: number): void {
  try {
    setPriority(priority);
  } catch {
    // Without permission, the priorities stay equal.
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
