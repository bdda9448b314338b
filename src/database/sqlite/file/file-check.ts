import { execFile, fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { MINUTE } from '../../../platform/clock.js';
import type { CheckResult, CheckSpeed } from './check-process.js';

/**
 * Milliseconds before another attempt, after a check that could not be made, for example without memory for a
 * process.
 */
const RETRY_MS = MINUTE;
/** Milliseconds after which a check that uses only idle time starts again with a higher priority. */
const IDLE_MS = 10 * MINUTE;

export interface FileCheckOptions {
  readonly file: string;
  /** Called with a sentence when the check begins, ends without damage, or cannot be made. */
  readonly onProgress: (message: string) => void;
  /** Called with SQLite's message about the damage. */
  readonly onDamage: (detail: string) => void;
}

/**
 * Checks a whole database file while a server uses it. Runs in its own process: SQLite cannot be interrupted,
 * and a thread would keep the server from ending.
 */
export class FileCheck {
  #state: 'due' | 'done' | 'damaged' = 'due';
  #child: ChildProcess | null = null;
  #speed: CheckSpeed = 'idle';
  #timer: NodeJS.Timeout | undefined;
  #isPutOff = false;
  #isClosed = false;

  constructor(private readonly options: FileCheckOptions) {}

  /** State for `/readyz`; null if no damage was found. */
  get state(): { readonly note: 'running' } | 'damaged' | null {
    if (this.#state === 'due') return { note: 'running' };
    return this.#state === 'damaged' ? 'damaged' : null;
  }

  begin(): void {
    if (this.#isClosed || this.#child !== null || this.#state !== 'due') return;
    const { file, onProgress } = this.options;
    const speed = this.#speed;
    onProgress(
      speed === 'idle'
        ? 'the check of the whole database file begins, while requests are served'
        : 'the check of the whole database file begins anew, with a higher priority',
    );
    if (speed === 'idle') this.#timer = setTimeout(() => this.hurry(), IDLE_MS).unref();
    const program = new URL(`./check-process${extname(import.meta.url)}`, import.meta.url);
    const child = fork(fileURLToPath(program), [file, speed], { env: {}, execArgv: [], stdio: 'ignore' });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    let result: CheckResult = { kind: 'failed', detail: 'its process ended' };
    child.once('message', (message) => {
      result = message as CheckResult;
      kill(child);
    });
    child.once('error', (error) => {
      result = { kind: 'failed', detail: error.message };
      // Without a process there is no exit event.
      if (child.pid === undefined) this.#ended(result);
    });
    child.once('exit', () => {
      if (this.#isPutOff) this.#ended({ kind: 'failed', detail: 'the disk has little room' });
      else if (result.kind === 'failed' && speed !== this.#speed) this.#beginAnew();
      else this.#ended(result);
    });
  }

  /**
   * Starts a running check again with a higher priority. Called when the write-ahead log is long: SQLite
   * cannot restart the log while the check reads.
   */
  hurry(): void {
    if (this.#child === null || this.#speed === 'steady') return;
    this.#speed = 'steady';
    kill(this.#child);
  }

  /**
   * Ends a check that is being made, and begins it again a minute later. For a disk with little room: while the check reads,
   * the log cannot be copied into the file, and a check in idle time takes long on a busy machine.
   */
  putOff(): void {
    if (this.#child === null) return;
    this.#isPutOff = true;
    kill(this.#child);
  }

  #beginAnew(): void {
    this.#child = null;
    this.begin();
  }

  /** Ends the check. Resolves when its connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.ref();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    kill(child);
    await ended;
  }

  #ended({ kind, detail }: CheckResult): void {
    this.#child = null;
    this.#isPutOff = false;
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const { onProgress, onDamage } = this.options;
    if (kind === 'failed') {
      onProgress(`the check of the whole database file could not be made, and is tried again: ${detail}`);
      this.#timer = setTimeout(() => this.begin(), RETRY_MS).unref();
      return;
    }
    this.#state = kind === 'damaged' ? 'damaged' : 'done';
    if (kind === 'damaged') onDamage(detail);
    else onProgress('the check of the whole database file has ended: no damage found');
  }
}

/** Changes the policy of processes, as in the program of the check. */
const CHRT = '/usr/bin/chrt';

/**
 * Ends a check soon. A process that uses idle time only would not even end while others use all processors, and would
 * go on reading until then: it first gets the ordinary policy. Without chrt there was no other policy.
 */
function kill(child: ChildProcess): void {
  const end = (): void => void child.kill('SIGKILL');
  if (child.pid === undefined) return;
  execFile(CHRT, ['-a', '-o', '-p', '0', String(child.pid)], { env: {} }, end);
}
