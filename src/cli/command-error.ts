import { CommanderError } from 'commander';

import { DatabaseRefused } from '../database/database.js';
import { ConfigError } from '../platform/config/parsing.js';
import { codeOf, type DomainCode, DomainError, faultOfSystem } from '../platform/errors.js';
import { fileProblem } from '../platform/files.js';

/** Exit codes of the process, for shells and service managers. Those above 60 are defined in sysexits.h. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  damaged: 3,
  differs: 4,
  rejected: 65,
  storage: 74,
  busy: 75,
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Meaning of each exit code; printed in the help and in src/docs/reference/command-line.md. */
export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.ok, 'success'],
  [EXIT.failed, 'refused or failed: nothing was changed'],
  [EXIT.usage, 'wrong arguments'],
  [EXIT.damaged, 'the ledger was edited or cut, or a copy differs from its source'],
  [EXIT.differs, 'the fleet differs from the document: nothing was changed without `--yes`'],
  [EXIT.rejected, 'some rows of an import were rejected, the others are stored'],
  [EXIT.storage, 'the storage failed: full, read-only or failing disk, files of the database gone'],
  [EXIT.busy, 'the database is busy or cannot be reached: try again'],
  [EXIT.config, 'a setting is wrong, or the database cannot be used as it is'],
];

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
  readonly lines: readonly string[];
}

const OF_DOMAIN: Partial<Readonly<Record<DomainCode, ExitCode>>> = {
  busy: EXIT.busy,
  deadline_exceeded: EXIT.busy,
  storage_full: EXIT.storage,
  storage_read_only: EXIT.storage,
  storage_unavailable: EXIT.storage,
  db_corrupt: EXIT.config,
};

const OF_REFUSAL: Partial<Readonly<Record<DatabaseRefused['reason'], ExitCode>>> = {
  exists: EXIT.failed,
  unreachable: EXIT.busy,
};

const failed = (line: string, exitCode: ExitCode = EXIT.failed): Failure => ({ exitCode, lines: [line] });

/** Exit code and lines for an error. Only unexpected errors, which are bugs, show their stack. */
export function failureOf(error: unknown): Failure {
  // commander has written the message already; it also throws after --help, with exit code 0.
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage, lines: [] };
  }
  if (error instanceof ConfigError) return { exitCode: EXIT.config, lines: error.problems };
  if (error instanceof DatabaseRefused) {
    return failed(error.message, OF_REFUSAL[error.reason] ?? EXIT.config);
  }
  if (error instanceof DomainError) return failureOfDomain(error);
  if (error instanceof CommandError) return failed(error.message, error.exitCode);
  if (!(error instanceof Error)) return failed(String(error));
  const code = codeOf(error);
  if ([error, error.cause].some(isOfDatabase))
    return failed(
      `${REFUSED}: ${error.message}. If tables were changed by hand, restore a backup.`,
      EXIT.config,
    );
  // Errors of the operating system, for example of a file that does not exist.
  if (code === null || !('syscall' in error)) return failed(error.stack ?? error.message);
  const isStorage = code === 'EIO' || faultOfSystem(code, error) !== null;
  return failed(fileProblem(error) ?? error.message, isStorage ? EXIT.storage : EXIT.failed);
}

const REFUSED = 'The database refused a statement';

/** True if PostgreSQL or SQLite itself refused a statement, for example because a table was removed by hand. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && ('severity' in error || (codeOf(error) ?? '').startsWith('SQLITE_'));

function failureOfDomain({ code, message, details }: DomainError): Failure {
  const lines = Object.entries(details.fields ?? {}).flatMap(([field, problems]) =>
    problems.map((problem) => `--${kebabCase(field)}: ${problem.message}`),
  );
  if (code === 'invalid' && lines.length > 0) return { exitCode: EXIT.failed, lines };
  const exitCode = OF_DOMAIN[code] ?? EXIT.failed;
  return failed(`${message}${exitCode === EXIT.storage ? causeOf(details.cause) : ''}`, exitCode);
}

/** Reason given by SQLite or the operating system, in parentheses; empty if there is none. */
function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const code = codeOf(cause);
  return ` (${fileProblem(cause) ?? (code === null ? cause.message : `${code}: ${cause.message}`)})`;
}

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
