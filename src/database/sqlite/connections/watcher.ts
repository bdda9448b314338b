import type { DomainCode } from '../../../platform/errors.js';
import type { StatementEnd } from '../../statements.js';

/** Callbacks for the events of a connection. */
export interface Watcher {
  /**
   * Called with each statement, except those that begin and end transactions. Its result is called when the
   * statement has ended.
   */
  onStatement(sql: string): StatementEnd | undefined;
  /** Called after a failed fsync: acknowledged changes may be lost, so nothing more must be written. */
  onFatal(error: unknown): void;
  /** Called when the storage failed or refused a statement. */
  onFault(code: DomainCode, error: unknown): void;
  /**
   * Called when the log is long, because read transactions keep SQLite from restarting it. `isUrgent`: it is
   * twice as long.
   */
  onLongLog?(isUrgent: boolean): void;
  /**
   * Whether the disk has so little room that the log must stay short, since its pages need room in the file
   * too.
   */
  isDiskLow?(): boolean;
}
