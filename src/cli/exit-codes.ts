/** Exit codes of the process, for shells and service managers. Those above 60 are defined in sysexits.h. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  damaged: 3,
  rejected: 65,
  storage: 74,
  busy: 75,
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
