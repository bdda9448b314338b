import { CommanderError } from 'commander';

import { DatabaseRefused } from '../database/database.js';
import { ConfigError } from '../platform/config/config.js';
import { DomainError, type DomainCode } from '../platform/errors.js';
import { faultOfSystem } from '../platform/storage/faults.js';
import { fileProblem } from '../platform/storage/file-errors.js';
import { EXIT, type ExitCode } from './exit-codes.js';

/** Refusal of a command. Its message is written to standard error, without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

export interface Failure {
  readonly exitCode: ExitCode;
  /** Lines for standard error. */
  readonly lines: readonly string[];
}

const EXIT_CODES: Partial<Readonly<Record<DomainCode, ExitCode>>> = {
  busy: EXIT.busy,
  deadline_exceeded: EXIT.busy,
  storage_full: EXIT.storage,
  storage_read_only: EXIT.storage,
  storage_unavailable: EXIT.storage,
  db_corrupt: EXIT.config,
};

const REFUSED: Partial<Readonly<Record<DatabaseRefused['reason'], ExitCode>>> = {
  exists: EXIT.failed,
  unreachable: EXIT.busy,
};

/** Exit code and lines for an error. Only unexpected errors, which are bugs, show their stack. */
export function failureOf(error: unknown): Failure {
  // commander has written the message already; it also throws after --help, with exit code 0.
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage, lines: [] };
  }
  if (error instanceof ConfigError) return { exitCode: EXIT.config, lines: error.problems };
  if (error instanceof DatabaseRefused) {
    return { exitCode: REFUSED[error.reason] ?? EXIT.config, lines: [error.message] };
  }
  if (error instanceof DomainError) return failureOfDomain(error);
  if (error instanceof CommandError) return { exitCode: error.exitCode, lines: [error.message] };
  if (isSystemError(error)) return failureOfSystem(error);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.failed, lines: [text] };
}

function failureOfDomain({ code, message, details }: DomainError): Failure {
  const fields = Object.entries(details.fields ?? {}).flatMap(([field, problems]) =>
    problems.map((problem) => `--${kebabCase(field)}: ${problem}`),
  );
  const exitCode = EXIT_CODES[code] ?? EXIT.failed;
  const reason = exitCode === EXIT.storage ? causeOf(details.cause) : '';
  const lines = code === 'invalid' && fields.length > 0 ? fields : [`${message}${reason}`];
  return { exitCode, lines };
}

function failureOfSystem(error: NodeJS.ErrnoException): Failure {
  const isStorage = error.code === 'EIO' || faultOfSystem(error.code ?? null, error) !== null;
  return { exitCode: isStorage ? EXIT.storage : EXIT.failed, lines: [fileProblem(error) ?? error.message] };
}

/** Reason given by SQLite or the operating system, in parentheses; empty if there is none. */
function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const problem = fileProblem(cause);
  if (problem !== null) return ` (${problem})`;
  const { code } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? ` (${code}: ${cause.message})` : ` (${cause.message})`;
}

/** An error of the operating system, for example of a file that does not exist. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
