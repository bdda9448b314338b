/** What the commands `db …` do with a database, while servers may be using it. */
export interface DatabaseTools {
  /** `{ file: PATH }` or `{ database: NAME }`: where it is, in the output of commands. */
  readonly place: Readonly<Record<string, string>>;
  /** Names of migrations to be applied. Errors: `DatabaseRefused`. */
  pending(): Promise<readonly string[]>;
  /** Tables that these migrations touch, and how they lock them. Changes nothing. Errors: `DatabaseRefused`. */
  touched(): Promise<readonly TouchedTable[]>;
  /** Reads everything; resolves to what is wrong. Errors: `DatabaseRefused`. */
  check(): Promise<readonly string[]>;
  /** Rows of each table, for example `{ devices: 17 }`; null where a backup is checked when it is made. */
  rowCounts(): Promise<Readonly<Record<string, number>> | null>;
  /** Copies it to a new file. Errors: `DatabaseRefused`, also if that is done otherwise, and how. */
  backup(target: string, onProgress: Progress): Promise<void>;
  /** Notes the time of a backup, for the metric of its age. Errors: those of the operating system. */
  noteBackup(): void;
  /** Makes it from a backup. Errors: the same, and if it exists. */
  restore(source: string, onProgress: Progress): Promise<void>;
  /** Gives the room of deleted rows back to the disk. Errors: `DatabaseRefused`, also if that is done otherwise, and how. */
  compact(): Promise<{ readonly before: number; readonly after: number }>;
  describe(): Promise<Description>;
  /** Before a demo is made: removes an earlier one. Errors: `DatabaseRefused` if it runs, or if these may be records of somebody. */
  makeEmpty(): Promise<void>;
}

export type Progress = (done: number, total: number) => void;

export interface Description {
  /** For programs. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The same for people. */
  readonly lines: readonly string[];
}

/** A table that a pending migration changes or writes to. */
export interface TouchedTable {
  readonly migration: string;
  /** `*` for the whole file. */
  readonly table: string;
  /** The strongest lock, for example `AccessExclusiveLock`: others can neither read nor write the table meanwhile. */
  readonly lock: string;
  /** Rows of the table; of PostgreSQL, the estimate of its last analysis. */
  readonly rows: number;
  /** Whether the table is written anew. Rows that are updated one by one are not told. */
  readonly isRewritten: boolean;
}
