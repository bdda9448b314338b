import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';

import type { LogLevel } from './config/settings.js';
import { codeOf } from './errors.js';

export type { Logger } from 'pino';

const STANDARD_OUTPUT = 1;
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 50;

/**
 * Writes to a file descriptor synchronously and never throws. If the reader is slow, up to 4 MiB of lines are queued in
 * memory; lines beyond, or written after the reader is gone or while the disk is full, are counted as lost.
 */
export class LogSink implements DestinationStream {
  /** Number of lines that could not be written. */
  lost = 0;
  #queue: Buffer[] = [];
  #queuedBytes = 0;

  constructor(private readonly descriptor = STANDARD_OUTPUT) {
    process.on('exit', () => this.#flush());
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#queue.length > 0) this.#enqueue(line);
    else this.#writeNow(line);
  }

  #flush(): void {
    const lines = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    const blocked = lines.findIndex((line) => !this.#writeNow(line));
    if (blocked !== -1) lines.slice(blocked + 1).forEach((line) => this.#enqueue(line));
  }

  /** False if the pipe is full: the rest of the line is queued. A line that fails for another reason is lost. */
  #writeNow(line: Buffer): boolean {
    let rest = line;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
        this.#enqueue(rest);
        return false;
      }
      this.lost += 1;
    }
    return true;
  }

  #enqueue(line: Buffer): void {
    if (this.#queuedBytes + line.length > MAX_QUEUED_BYTES) {
      this.lost += 1;
      return;
    }
    if (this.#queue.length === 0) setTimeout(() => this.#flush(), RETRY_MS).unref();
    this.#queue.push(line);
    this.#queuedBytes += line.length;
  }
}

/** Writes one JSON object per line. Callers log path templates and codes, never query values, tokens or passwords. */
export function createLogger(level: LogLevel, sink: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => describeError(error) },
  };
  return pino(options, sink);
}

const MAX_CAUSES = 3;

/** Type, code, stack and causes of an error; no other properties, since they may hold data of a request. */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, stack = error.message, cause } = error;
  const code = codeOf(error);
  return {
    type: name,
    ...(code === null ? {} : { code }),
    stack: withoutSecrets(stack),
    ...(cause === undefined || depth >= MAX_CAUSES ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

/** Removes API tokens and query strings. */
function withoutSecrets(text: string): string {
  return text.replace(/\b[0-9a-f]{40}\b/gi, '[redacted]').replace(/\?[^\s'")]*=[^\s'")]*/g, '?[redacted]');
}
