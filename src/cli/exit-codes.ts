/** Exit codes of the process, for shells and service managers. Those above 60 are defined in sysexits.h. */
export const EXIT = {
  ok: 0,
  /** The command was refused or failed: nothing was changed, and standard error has the reason. */
  failed: 1,
  /** Wrong arguments: an unknown command or option, or a missing one. */
  usage: 2,
  /** `audit verify` found that the ledger was edited or cut, or `db copy` that two databases differ. */
  damaged: 3,
  /** An import rejected some rows, and stored the others. */
  rejected: 65,
  /** The storage failed: the last change may be lost. */
  storage: 74,
  /** The database is busy, or cannot be reached; the same command may succeed later. */
  busy: 75,
  /** A setting is wrong, or the database cannot be used as it is. */
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Meaning of each exit code; printed in the help and in src/docs/commands.md. */
export const EXIT_CODES: readonly (readonly [code: ExitCode, meaning: string])[] = [
  [EXIT.ok, 'success'],
  [EXIT.failed, 'refused or failed: nothing was changed'],
  [EXIT.usage, 'wrong arguments'],
  [EXIT.damaged, 'the ledger was edited or cut, or a copy differs from its source'],
  [EXIT.rejected, 'some rows of an import were rejected, the others are stored'],
  [EXIT.storage, 'the storage failed: full, read-only or failing disk, files of the database gone'],
  [EXIT.busy, 'the database is busy or cannot be reached: try again'],
  [EXIT.config, 'a setting is wrong, or the database cannot be used as it is'],
];

export const EXIT_CODE_HELP = `
Exit codes:
${EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(2)}  ${meaning}`).join('\n')}`;
