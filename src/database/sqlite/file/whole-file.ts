import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { MINUTE } from '../../../platform/clock.js';
import type { StorageSizes } from '../../database.js';
import type { CheckResult, FileTask } from './whole-file-process.js';

/** Milliseconds after which a check is tried again that could not be made, for example without memory for a process. */
const RETRY_MS = MINUTE;

const DUE = { note: 'running' } as const;
type CheckState = typeof DUE | 'damaged' | null;

type RunningTask<Result> = ReturnType<typeof startTask<Result>>;

/**
 * Starts a task over a whole file, in a process of its own: SQLite cannot be interrupted, but a process can. `result` is
 * null if the task failed or was ended; `end` resolves when its connection is closed.
 */
function startTask<Result>(task: FileTask, file: string) {
  const program = new URL(`./whole-file-process${extname(import.meta.url)}`, import.meta.url);
  const child = fork(fileURLToPath(program), [task, file], { env: {}, execArgv: [], stdio: 'ignore' });
  const result = new Promise<Result | null>((resolve) => {
    let sent: Result | null = null;
    child.once('message', (message) => {
      sent = message as Result;
      child.kill('SIGKILL');
    });
    // Without a process there is no exit event.
    child.once('error', () => resolve(null));
    child.once('exit', () => resolve(sent));
  });
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await result;
  };
  return { result, end };
}

interface WholeFileOptions {
  /** True if the whole file was checked for damage before it was opened. */
  readonly isChecked?: boolean | undefined;
  /** Called with a sentence when the check begins, ends without damage, or cannot be made. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** Called with SQLite's message about the damage. */
  readonly onDamage?: (detail: string) => void;
}

/** Tasks that read a whole file while it is used: the check for damage, and the sizes of its tables. */
export class WholeFile {
  /** State of the check for `/readyz`; null if no damage was found. */
  state: CheckState;
  #check: RunningTask<CheckResult> | null = null;
  #measurement: RunningTask<StorageSizes> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly file: string,
    private readonly options: WholeFileOptions = {},
  ) {
    this.state = options.isChecked === false ? DUE : null;
  }

  /** Begins the check, unless it was made. */
  check(): void {
    if (this.#isClosed || this.#check !== null || this.state !== DUE) return;
    this.options.onProgress?.('the check of the whole database file begins, while requests are served');
    this.#check = startTask('check', this.file);
    void this.#check.result.then((result) => this.#checked(result));
  }

  /** Begins a running check again a minute later: while it reads, the log cannot be copied into the file. */
  putOffCheck(): void {
    void this.#check?.end();
  }

  /** Sizes of all tables; null after `close`, or if measuring failed. One measurement runs at a time. */
  async measure(): Promise<StorageSizes | null> {
    if (this.#isClosed) return null;
    const running = (this.#measurement ??= startTask('measure', this.file));
    const sizes = await running.result;
    if (this.#measurement === running) this.#measurement = null;
    return sizes;
  }

  /** Ends what is running. Resolves when no connection is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await Promise.all([this.#check?.end(), this.#measurement?.end()]);
  }

  #checked(result: CheckResult | null): void {
    this.#check = null;
    if (this.#isClosed) return;
    const { onProgress, onDamage } = this.options;
    if (result === null || result.kind === 'failed') {
      const reason = result?.detail ?? 'its process was ended';
      onProgress?.(`the check of the whole database file could not be made, and is tried again: ${reason}`);
      this.#retry = setTimeout(() => this.check(), RETRY_MS).unref();
      return;
    }
    this.state = result.kind === 'damaged' ? 'damaged' : null;
    if (result.kind === 'damaged') onDamage?.(result.detail);
    else onProgress?.('the check of the whole database file has ended: no damage found');
  }
}
