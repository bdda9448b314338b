import { destination, pino, type DestinationStream, type Logger } from 'pino';

import type { LogLevel } from './config.js';

export type { Logger } from 'pino';

export interface LogSink extends DestinationStream {
  /** Lines that could not be written. */
  readonly lost: () => number;
}

/** Standard output, written at once; where it is gone or full, lines are counted as lost and the server goes on. */
export function standardOutput(): LogSink {
  let lost = 0;
  const stream = destination({ dest: 1, sync: true });
  stream.on('error', () => {
    lost += 1;
  });
  return {
    write: (line) => {
      try {
        stream.write(line);
      } catch {
        lost += 1;
      }
    },
    lost: () => lost,
  };
}

/** JSON lines; callers log path templates and codes, never query values, tokens or passwords. */
export function createLogger(level: LogLevel, sink: DestinationStream): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, sink);
}
