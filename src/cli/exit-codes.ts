/** What the process ends with; shells and service managers tell the cases apart by it. */
export const EXIT = {
  /** Done. */
  ok: 0,
  /** Refused or failed: nothing was changed, and standard error says why. */
  failed: 1,
  /** The command line itself is wrong: an unknown command or option, a missing one. */
  usage: 2,
  /** The storage failed, so that what is written may not be kept. */
  storage: 74,
  /** Busy now; the same command may work later. */
  busy: 75,
  /** A setting is wrong, or the database cannot be used as it is. */
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODE_HELP = `
Exit codes:
  ${EXIT.ok}   done
  ${EXIT.failed}   refused or failed: nothing was changed
  ${EXIT.usage}   the command line is wrong
  ${EXIT.storage}  the storage failed
  ${EXIT.busy}  busy now: try again
  ${EXIT.config}  a setting is wrong, or the database cannot be used as it is`;
