import { CommanderError } from 'commander';

import { DatabaseRefused } from '../database/sqlite/inspect.js';
import { ConfigError } from '../platform/config/config.js';
import { DomainError, type DomainCode } from '../platform/errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** Why a command was not carried out, in a line for the person who gave it. */
export class CommandError extends Error {
  override readonly name = 'Refusal';
}

export interface Explanation {
  readonly code: ExitCode;
  readonly lines: readonly string[];
}

const CODES: Partial<Readonly<Record<DomainCode, ExitCode>>> = {
  busy: EXIT.busy,
  storage_full: EXIT.storage,
  storage_read_only: EXIT.storage,
  storage_unavailable: EXIT.storage,
  db_corrupt: EXIT.config,
};

/** What to say of an error, and what to end with. Only what nobody foresaw shows where it happened. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommanderError) {
    return { code: error.exitCode === 0 ? EXIT.ok : EXIT.usage, lines: [] };
  }
  if (error instanceof ConfigError) return { code: EXIT.config, lines: error.problems };
  if (error instanceof DatabaseRefused) return { code: EXIT.config, lines: [error.message] };
  if (error instanceof DomainError) return explainDomain(error);
  if (error instanceof CommandError || isSystemError(error))
    return { code: EXIT.failed, lines: [error.message] };
  return {
    code: EXIT.failed,
    lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  };
}

function explainDomain({ code, message, details }: DomainError): Explanation {
  const fields = Object.entries(details.fields ?? {}).flatMap(([field, problems]) =>
    problems.map((problem) => `--${kebabCase(field)}: ${problem}`),
  );
  return { code: CODES[code] ?? EXIT.failed, lines: code === 'invalid' ? fields : [message] };
}

/** The operating system's words, as for a file that is not there. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
