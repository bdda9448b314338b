import { pino, type DestinationStream, type Logger } from 'pino';
import { writeSync } from 'node:fs';

import type { LogLevel } from './config/config.js';

export type { Logger } from 'pino';

export interface LogSink extends DestinationStream {
  /** Lines that could not be written. */
  readonly lost: () => number;
}

const STANDARD_OUTPUT = 1;
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 50;

/**
 * Standard output, written at once. Where a reader is slow, lines wait in memory for a while; where it is gone or
 * the disk is full, they are counted as lost. The server goes on in any case.
 */
export function standardOutput(): LogSink {
  return descriptorSink(STANDARD_OUTPUT);
}

export function descriptorSink(descriptor: number): LogSink {
  const lines = new WaitingLines(descriptor);
  process.on('exit', () => lines.drain());
  return { write: (line) => lines.write(Buffer.from(line)), lost: () => lines.lost };
}

class WaitingLines {
  lost = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  constructor(private readonly descriptor: number) {}

  write(line: Buffer): void {
    if (this.#waiting.length > 0) this.#wait(line);
    else this.#put(line);
  }

  drain(): void {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const stuck = lines.findIndex((line) => !this.#put(line));
    if (stuck !== -1) lines.slice(stuck + 1).forEach((line) => this.#wait(line));
  }

  /** False where the reader has no room now; a line that fails otherwise is lost. */
  #put(line: Buffer): boolean {
    let rest = line;
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
        this.#wait(rest);
        return false;
      }
      this.lost += 1;
    }
    return true;
  }

  #wait(line: Buffer): void {
    if (this.#waitingBytes + line.length > MOST_WAITING_BYTES) {
      this.lost += 1;
      return;
    }
    if (this.#waiting.length === 0) setTimeout(() => this.drain(), RETRY_MS).unref();
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
  }
}

/** JSON lines; callers log path templates and codes, never query values, tokens or passwords. */
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

const MOST_CAUSES = 3;

/** Where an error came from; not what it carries, which may be a request's. */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, stack = error.message, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    ...(typeof code === 'string' ? { code } : {}),
    stack: withoutSecrets(stack),
    ...(cause === undefined || depth >= MOST_CAUSES ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

/** Tokens, and whatever stands in a query. */
function withoutSecrets(text: string): string {
  return text.replace(/\b[0-9a-f]{40}\b/gi, '[redacted]').replace(/\?[^\s'")]*=[^\s'")]*/g, '?[redacted]');
}
