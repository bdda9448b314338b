import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { CheckResult } from './check-process.js';

/** Until another attempt, after one that could not be made, for example without memory for a process. */
const RETRY_MS = 60_000;

export interface FileCheckOptions {
  readonly file: string;
  /** Called with a sentence when the check begins, and when it ends without damage or cannot be made. */
  readonly onProgress: (message: string) => void;
  /** Called with what SQLite says of the damage. */
  readonly onDamage: (detail: string) => void;
}

/**
 * Checks a whole database file while a server uses it, in a process of its own: SQLite cannot be interrupted, and a thread
 * would keep the server from ending.
 */
export class FileCheck {
  #state: 'due' | 'done' | 'damaged' = 'due';
  #child: ChildProcess | null = null;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: FileCheckOptions) {}

  /** For `/readyz`: null when no damage was found. */
  get state(): { readonly note: 'running' } | 'damaged' | null {
    if (this.#state === 'due') return { note: 'running' };
    return this.#state === 'damaged' ? 'damaged' : null;
  }

  begin(): void {
    if (this.#isClosed || this.#child !== null || this.#state !== 'due') return;
    const { file, onProgress } = this.options;
    onProgress('the check of the whole database file begins, while requests are served');
    const program = new URL(`./check-process${extname(import.meta.url)}`, import.meta.url);
    const child = fork(fileURLToPath(program), [file], { env: {}, execArgv: [], stdio: 'ignore' });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    let result: CheckResult = { kind: 'failed', detail: 'its process ended' };
    child.once('message', (message) => {
      result = message as CheckResult;
      child.kill('SIGKILL');
    });
    child.once('error', (error) => {
      result = { kind: 'failed', detail: error.message };
      // Without a process there is no exit either.
      if (child.pid === undefined) this.#ended(result);
    });
    child.once('exit', () => this.#ended(result));
  }

  /** Ends the check. Resolves when its connection is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.ref();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  #ended({ kind, detail }: CheckResult): void {
    this.#child = null;
    if (this.#isClosed) return;
    const { onProgress, onDamage } = this.options;
    if (kind === 'failed') {
      onProgress(`the check of the whole database file could not be made, and is tried again: ${detail}`);
      this.#retry = setTimeout(() => this.begin(), RETRY_MS).unref();
      return;
    }
    this.#state = kind === 'damaged' ? 'damaged' : 'done';
    if (kind === 'damaged') onDamage(detail);
    else onProgress('the check of the whole database file has ended: no damage found');
  }
}
